// SPDX-License-Identifier: Apache-2.0
// The fitted model's predictions for any number of replicas: the server's answer, and its figures and words.
import { count, number, replicas } from "../base/format";
import { say } from "../base/say";
import { type Explorer as Words, type JsonNumber, toNumber } from "../base/types";
import type { FigureData, FigureSeries } from "../figure/figure";

/** Prediction or measurement at a number of replicas, with the batch size that goodput chooses there. */
export interface Point {
  replicas: number;
  goodput: JsonNumber;
  range: [number, number] | null; // between which goodput is expected
  throughput: JsonNumber;
  efficiency: JsonNumber;
  batch_size: number;
  batch_range?: [number, number] | null; // between which the best batch size is
  local_batch_size: number;
  accumulation: number;
  step_time: JsonNumber;
}

export interface MeasuredStep {
  replicas: number;
  local_batch_size: number;
  accumulation: number;
  steps: number;
  measured: number;
  predicted: number;
  residual: number;
}

/** A restart: its prediction and its outcome. */
export interface PredictedRestart {
  generation: number;
  replicas: number;
  what: "goodput" | "throughput";
  predicted: number;
  obtained: number | null;
  change: number | null;
  held: boolean | null; // came out as expected
  shown: { predicted: string; expected: string; obtained: string; change: string };
}

export interface Explorer extends Words {
  curve: Point[] | null;
  measured?: MeasuredStep[];
  predictions?: { restarts: PredictedRestart[]; summary: string };
  mean_error?: number | null;
  now?: { replicas: number; measured: Partial<Point> | null; predicted: Partial<Point> | null };
  bounds?: { max_batch_size: number; max_local_batch_size: number; max_profiled_replicas: number; devices: number; accumulation: boolean };
  batch_curve?: { replicas: number; points: (Rates & Pick<Point, "batch_size">)[] };
}

const colours = { throughput: "var(--series-2)", goodput: "var(--series-1)", efficiency: "var(--series-3)" };

export const names = { throughput: say("throughput"), goodput: say("goodput"), efficiency: say("efficiency") };

export const legend = (["throughput", "goodput", "efficiency"] as const).map((key) => [names[key], colours[key]] as const);

type Rates = Pick<Point, "goodput" | "range" | "throughput" | "efficiency">;

// Throughput, goodput with its range and, at the right, efficiency over one value.
function rates<T extends Rates>(points: readonly T[], x: (point: T) => number, name: (x: number) => string): FigureSeries[] {
  const textOf = (point: T, key: keyof typeof names): string => {
    const value = number(toNumber(point[key]), key === "efficiency" ? 2 : 3);
    if (key === "efficiency") return `${names[key]} ≈ ${value}`;
    const range = key === "goodput" ? point.range : null;
    return say("{} ≈ {} samples/s", names[key], range ? rangeText(value, number(range[0]), number(range[1])) : value);
  };
  const of = (key: keyof typeof colours, isRight = false): FigureSeries => ({
    colour: colours[key],
    mark: "line",
    size: key === "goodput" ? 2.5 : 1.5,
    isRight,
    points: points.map((point) => ({ x: x(point), y: toNumber(point[key]), text: `${name(x(point))}\n${textOf(point, key)}` })),
  });
  const bound = (which: 0 | 1): FigureSeries => ({
    colour: colours.goodput,
    mark: "line",
    size: 1,
    dash: "3 3",
    opacity: 0.6,
    points: points.filter((point) => point.range).map((point) => ({ x: x(point), y: point.range?.[which] ?? NaN })),
  });
  return [of("throughput"), of("efficiency", true), bound(0), bound(1), of("goodput")];
}

// "19,000 (14,700 to 23,000)"
const rangeText = (value: string, low: string, high: string) => say("{} ({} to {})", value, low, high);

function measuredDot(explorer: Explorer, x: number): FigureSeries[] {
  const goodput = toNumber(explorer.now?.measured?.goodput);
  if (!Number.isFinite(goodput)) return [];
  return [{ colour: colours.goodput, mark: "dots", size: 6, points: [{ x, y: goodput, text: `${say("measured now")}\n${say("goodput {} samples/s", number(goodput))}` }] }];
}

/** Returns the figure over replicas, with a line at those that are looked at. */
export function replicasFigure(explorer: Explorer, chosen: number): FigureData {
  const curve = explorer.curve ?? [];
  const last = curve[curve.length - 1]?.replicas ?? 1;
  const most = explorer.bounds?.max_profiled_replicas ?? 0;
  return {
    series: [...rates(curve, (point) => point.replicas, replicas), ...measuredDot(explorer, explorer.now?.replicas ?? NaN)],
    bottom: { low: 1, high: Math.max(2, last), title: say("replicas"), ticks: wholeTicks(last) },
    left: { low: 0, title: say("samples/s") },
    right: { low: 0, high: 1, title: say("efficiency") },
    notes: [
      ...(most > 0 && most < last ? [{ x: most, text: say("measured up to here"), colour: "var(--hairline)" }] : []),
      { x: chosen, colour: "var(--accent)" },
    ],
    description: say("Predicted goodput over 1 to {} replicas", count(last)),
    ...(curve.length === 0 && { missing: explorer.why ?? say("The model is fitted once a few steps have been measured.") }),
  };
}

function wholeTicks(last: number): { value: number; label: string }[] {
  const step = [1, 2, 4, 8, 16, 32, 64].find((each) => last / each <= 16) ?? 128;
  const values = [1, ...Array.from({ length: Math.floor(last / step) }, (_, i) => (i + 1) * step).filter((each) => each > 1)];
  return values.map((value) => ({ value, label: String(value) }));
}

/** Returns the figure over the batch size, at the replicas that are looked at. */
export function batchFigure(explorer: Explorer, chosen: Point | undefined): FigureData {
  const { points = [], replicas: at } = explorer.batch_curve ?? { replicas: 0 };
  const isNow = explorer.now?.replicas === at;
  return {
    series: [...rates(points, (point) => point.batch_size, (x) => say("batch size {}", count(x))), ...measuredDot(explorer, isNow ? (explorer.now?.measured?.batch_size ?? NaN) : NaN)],
    bottom: { kind: "log", title: say("batch size") },
    left: { low: 0, title: say("samples/s") },
    right: { low: 0, high: 1, title: say("efficiency") },
    notes: chosen ? [{ x: chosen.batch_size, text: say("best {}", batchText(chosen)), colour: "var(--accent)" }] : [],
    description: chosen ? say("Predicted goodput over batch size on {}, best at {}", replicas(at), batchText(chosen)) : say("Predicted goodput over batch size on {}", replicas(at)),
    ...(points.length === 0 && { missing: say("The model has no curve for this number of replicas.") }),
  };
}

/** Step times, measured over predicted: what lies on the diagonal was predicted well. */
export function stepTimeFigure(measured: readonly MeasuredStep[]): FigureData {
  const counts = [...new Set(measured.map((each) => each.replicas))].sort((a, b) => a - b);
  const times = measured.flatMap((each) => [1000 * each.measured, 1000 * each.predicted]);
  const [low, high] = [Math.min(...times) / 1.3, Math.max(...times) * 1.3];
  return {
    series: [
      { colour: "var(--accent)", mark: "line", size: 1, dash: "2 3", points: [{ x: low, y: low }, { x: high, y: high }] },
      ...counts.map((each, i): FigureSeries => ({
        colour: `var(--run-${(i % 10) + 1})`,
        mark: "dots",
        size: 5,
        points: measured.filter((time) => time.replicas === each).map((time) => ({
          x: 1000 * time.predicted,
          y: 1000 * time.measured,
          text: `${say("×{}, {} on each, {} accumulated", each, count(time.local_batch_size), count(time.accumulation))}\n` +
            say("{} ms measured, {} ms predicted", number(1000 * time.measured), number(1000 * time.predicted)),
        })),
      })),
    ],
    bottom: { kind: "log", low, high, title: say("predicted, ms") },
    left: { kind: "log", low, high, title: say("measured, ms") },
    description: say("{} measured step times over predicted ones", measured.length),
    ...(measured.length === 0 && { missing: say("No step time has been measured yet.") }),
  };
}

// Returns "512 (384 to 700)".
function batchText(point: Partial<Point>): string {
  const [low, high] = point.batch_range ?? [0, 0];
  const best = count(point.batch_size ?? NaN);
  return low < high ? rangeText(best, count(low), count(high)) : best;
}
