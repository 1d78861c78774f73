// SPDX-License-Identifier: Apache-2.0
// The runs of a comparison as a table: what each has at the cross-hair, or at its newest step.
import { type Child, h } from "../base/dom";
import { count, number } from "../base/format";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { type Column, Table } from "../base/table";
import { nearest } from "../chart/piece";
import type { ComparedChart } from "./charts";
import type { ComparedRun } from "./compared";

/** NaN where the run has none, or does not reach as far. */
export function valueAt(run: ComparedRun, { line }: ComparedChart, at: number | null): number {
  const pieces = run.samples.pieces(line.series);
  const last = Math.max(...pieces.map((piece) => piece.x1.at(-1) ?? -Infinity));
  if (at !== null && at > last) return NaN;
  const found = nearest(pieces, at ?? Infinity, true);
  return found ? found.piece.mean[found.index]! * (line.factor ?? 1) : NaN;
}

export function swatch(colour: number): HTMLElement {
  const line = h("i.swatch");
  line.style.background = `var(--run-${colour + 1})`;
  return line;
}

export function runName(run: ComparedRun, colour: number): Child {
  return h("span.run-key", {}, swatch(colour), h("a", { href: pathOf("run", run.id) }, run.name));
}

export interface ValueRow {
  run: ComparedRun;
  colour: number;
  values: number[];
}

export function valuesTable(charts: readonly ComparedChart[]): Table<ValueRow> {
  const columns: Column<ValueRow>[] = [
    { title: say("Run"), by: ({ run }) => run.name, cell: ({ run, colour }) => runName(run, colour) },
    { title: say("State"), cell: ({ run }) => run.failure || (run.status?.shown ?? run.detail?.run.shown)?.state || "…" },
    { title: say("Replicas"), isNumber: true, by: ({ run }) => replicasOf(run), cell: ({ run }) => number(replicasOf(run)) },
    { title: say("Step"), isNumber: true, by: ({ run }) => stepOf(run), cell: ({ run }) => count(stepOf(run)) },
    ...charts.map(({ spec }, i): Column<ValueRow> => ({
      title: spec.title,
      isNumber: true,
      by: ({ values }) => values[i] ?? NaN,
      cell: ({ values }) => number(values[i], 4),
    })),
  ];
  return new Table<ValueRow>({ label: say("Values"), key: ({ run }) => run.id, columns, none: say("No runs are compared.") });
}

const replicasOf = (run: ComparedRun) => run.status?.replicas ?? run.detail?.run.replicas ?? NaN;
const stepOf = (run: ComparedRun) => run.status?.step ?? run.detail?.run.step ?? NaN;
