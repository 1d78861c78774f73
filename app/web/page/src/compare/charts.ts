// SPDX-License-Identifier: Apache-2.0
// The charts of a comparison: those of a run, each with the one line that says most, once for every run.
import type { ChartSpec, LineSpec } from "../base/types";
import type { Line } from "../chart/line";
import { lineOf } from "../run/lines";
import type { ComparedRun } from "./compared";

export interface ComparedChart {
  spec: ChartSpec;
  line: LineSpec;
}

const clutter = 2; // more runs than these have their lines alone, without what lies around them

export function comparedCharts(runs: readonly ComparedRun[]): ComparedChart[] {
  const recorded = new Set(runs.flatMap((run) => run.detail?.series ?? []).map((series) => series.name));
  const charts = new Map(runs.flatMap((run) => run.detail?.charts ?? []).map((spec) => [spec.name, spec]));
  return [...charts.values()]
    .filter((spec) => spec.isUsual && !spec.name.startsWith("device-"))
    .map((spec) => ({ spec, line: spec.lines.find((line) => line.isMain) ?? spec.lines[0]! }))
    .filter(({ line }) => recorded.has(line.series));
}

export function linesOf({ line }: ComparedChart, runs: readonly ComparedRun[]): Line[] {
  return runs.map((run, colour) => {
    const { isRight: _right, isOff: _off, ...look } = line;
    return {
      ...lineOf(line, (series) => run.samples.pieces(series)),
      key: run.id,
      look: { ...look, label: run.name, colour, isBare: runs.length > clutter },
    };
  });
}

/** Returns the chart with a legend that names its line, beside the chart's own unit. */
export function frameOf({ spec, line }: ComparedChart): ChartSpec {
  const isNamed = spec.lines.length > 1 && line.label.toLowerCase() !== spec.title.toLowerCase();
  return { ...spec, unit: [isNamed ? line.label : "", spec.unit].filter((text) => text !== "").join(", ") };
}
