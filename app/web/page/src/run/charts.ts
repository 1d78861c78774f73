// SPDX-License-Identifier: Apache-2.0
// The charts of a run, those of the window's dashboard (app/desktop/chart/chart_spec.cpp), as data: which series each
// draws. What a program records by names of its own gets its charts by itself.
import type { ChartFrame, LineLook } from "../chart/line";

export interface LineSpec extends LineLook {
  series: string;
  factor?: number; // to the chart's unit
  minus?: string; // the series that is taken away from it
  over?: string; // the series that it is divided by
  isMain?: boolean; // what is drawn where a chart has one line for each of several runs; else the first
}

export interface ChartSpec extends ChartFrame {
  lines: LineSpec[];
  showing?: "always" | "recorded" | "chosen"; // when it is there without being asked for
}

const known: ChartSpec[] = [
  {
    name: "gain",
    title: "Gain",
    unit: "between 1 and S",
    base: 1,
    bound: 1,
    lines: [
      { series: "gain", label: "gain", colour: 0, isSmoothed: true },
      { series: "gain_raw", label: "raw", colour: 1, isSmoothed: true, isOff: true },
      { series: "scale", label: "S", colour: 0, isStepped: true, isBound: true },
    ],
  },
  {
    name: "batch-size",
    title: "Batch size",
    unit: "samples",
    lines: [
      { series: "batch_size", label: "total", colour: 0, isStepped: true },
      { series: "local_batch_size", label: "per replica", colour: 1, isStepped: true },
      { series: "accumulation_steps", label: "accumulation", colour: 3, isStepped: true, isRight: true },
    ],
  },
  {
    name: "goodput",
    title: "Goodput",
    unit: "samples/s",
    rightTop: 1,
    isRobust: true,
    lines: [
      { series: "throughput", label: "throughput", colour: 1, isSmoothed: true },
      { series: "goodput", label: "goodput", colour: 0, isSmoothed: true, isMain: true },
      { series: "efficiency", label: "efficiency", colour: 2, isSmoothed: true, isRight: true },
    ],
  },
  {
    name: "progress",
    title: "Epoch progress",
    unit: "iterations",
    lines: [
      { series: "progress", label: "scale-invariant", colour: 0 },
      { series: "step", label: "steps", colour: 1 },
      { series: "epoch", label: "epochs", colour: 2, isRight: true },
    ],
  },
  {
    name: "loss",
    title: "Loss",
    unit: "",
    isLogByDefault: true,
    lines: [
      { series: "loss", label: "training", colour: 1, isSmoothed: true },
      { series: "validation_loss", label: "validation", colour: 3, isSparse: true },
    ],
  },
  {
    name: "accuracy",
    title: "Accuracy",
    unit: "validation",
    showing: "recorded",
    lines: [{ series: "accuracy", label: "accuracy", colour: 2, isSparse: true, isFromLowest: true }],
  },
  {
    name: "learning-rate",
    title: "Learning rate",
    unit: "",
    lines: [
      { series: "lr", label: "applied", colour: 0, isStepped: true },
      { series: "lr", over: "lr_factor", label: "scheduled", colour: 1, isStepped: true, isDashed: true },
      { series: "lr_factor", label: "factor", colour: 2, isStepped: true, isRight: true },
    ],
  },
  {
    name: "step-time",
    title: "Step time",
    unit: "ms",
    isRobust: true,
    lines: [
      { series: "step_time", minus: "sync_time", factor: 1000, label: "compute", colour: 1, isSmoothed: true },
      { series: "sync_time", factor: 1000, label: "sync", colour: 3, isSmoothed: true },
      { series: "model_step_time", factor: 1000, label: "model", colour: 0, isStepped: true },
    ],
  },
  {
    name: "noise",
    title: "Noise scale",
    unit: "samples",
    showing: "chosen",
    isRobust: true,
    isLogByDefault: true,
    lines: [
      { series: "noise_scale", label: "noise", colour: 0, isSmoothed: true },
      { series: "batch_size", label: "batch", colour: 1, isStepped: true },
    ],
  },
  {
    name: "gradient",
    title: "Gradient",
    unit: "squared norms",
    showing: "chosen",
    isRobust: true,
    lines: [
      { series: "grad_var", label: "variance", colour: 1, isSmoothed: true },
      { series: "grad_sqr", label: "true gradient", colour: 0, isSmoothed: true },
    ],
  },
  {
    name: "model-error",
    title: "Model's error",
    unit: "% of the predicted step time",
    showing: "chosen",
    bound: 0,
    isRobust: true,
    lines: [{ series: "model_error", factor: 100, label: "error", colour: 0, isSmoothed: true }],
  },
];

// Series that the supervisor records of each replica, `device/<what>/<rank>`.
const devices: [what: string, title: string, unit: string, factor: number][] = [
  ["cpu", "Cores in use", "of each replica", 1],
  ["memory", "Memory", "MB of each replica", 1e-6],
  ["gpu_utilization", "GPU utilization", "%", 100],
  ["gpu_memory", "GPU memory", "GB", 1e-9],
  ["gpu_power", "GPU power", "W", 1],
  ["gpu_temperature", "GPU temperature", "°C", 1],
];

const bookkeeping = ["mono", "time", "step", "epoch", "replicas", "non_finite_steps", "samples", "step_time"];
const quantities = ["loss", "score", "accuracy", "error", "norm", "rate", "reward", "time"];
const mostLines = 4; // as many colours as a chart tells apart

export function seriesOf(line: LineSpec): string[] {
  return [line.series, line.minus, line.over].filter((name): name is string => name !== undefined);
}

function deviceCharts(recorded: readonly string[]): ChartSpec[] {
  return devices.flatMap(([what, title, unit, factor]): ChartSpec[] => {
    const prefix = `device/${what}/`;
    const ranks = recorded.filter((name) => name.startsWith(prefix)).map((name) => Number(name.slice(prefix.length)));
    if (ranks.length === 0) return [];
    const lines = ranks.sort((a, b) => a - b).map((rank, place): LineSpec => (
      { series: prefix + rank, label: `rank ${rank}`, colour: place, factor }));
    return [{ name: `device-${what}`, title, unit, showing: what.startsWith("gpu_m") ? "chosen" : "recorded", lines }];
  });
}

// A word of a series' name, first or last, by which its values compare with those of others.
function quantityOf(series: string): string {
  const words = series.split(/[_\-./ ]/);
  return [words[0]!, words.at(-1)!].find((word) => quantities.includes(word)) ?? "";
}

export interface Recorded {
  name: string;
  unit: string;
  factor: number;
}

function ownCharts(recorded: readonly Recorded[]): ChartSpec[] {
  const drawn = new Set([...bookkeeping, ...known.flatMap((chart) => chart.lines.flatMap(seriesOf))]);
  const places = new Map<string, Recorded[]>();
  const charts: Recorded[][] = [];
  for (const series of recorded) {
    if (drawn.has(series.name) || series.name.startsWith("device/")) continue;
    const quantity = quantityOf(series.name);
    const place = quantity === "" ? undefined : places.get(quantity);
    if (place !== undefined && place.length < mostLines) {
      place.push(series);
      continue;
    }
    const made = [series];
    charts.push(made);
    places.set(quantity, made);
  }
  return charts.map((lines) => ({
    name: `own:${lines[0]!.name}`,
    title: lines.map((line) => line.name).join(", "),
    unit: lines[0]!.unit,
    showing: "recorded",
    lines: lines.map((line, colour) => (
      { series: line.name, label: line.name, colour, factor: line.factor, isSmoothed: true })),
  }));
}

/** Every chart that a run with these series can have, in their order. */
export function chartsOf(recorded: readonly Recorded[]): ChartSpec[] {
  return [...known, ...ownCharts(recorded), ...deviceCharts(recorded.map((series) => series.name))];
}

/** Returns the charts that are shown without being asked for. */
export function usualCharts(charts: readonly ChartSpec[], recorded: readonly Recorded[]): ChartSpec[] {
  const names = new Set(recorded.map((series) => series.name));
  return charts.filter((chart) => chart.showing === undefined || chart.showing === "always" ||
    (chart.showing === "recorded" && chart.lines.some((line) => names.has(line.series))));
}
