// SPDX-License-Identifier: Apache-2.0
// Figures that the server makes, as the window has them (app/common's figure_json.h): the same lines, cells and words.
import { h } from "../base/dom";
import { say } from "../base/say";
import type { Tick } from "../base/ticks";
import type { Axis } from "./scale";
import type { FigureData, FigureSeries } from "./figure";

type Ink = [token: "series" | "run" | "accent" | "dim" | "faint" | "good" | "warning" | "bad", index: number, alpha: number];
type Mark = "line" | "dashed" | "dotted" | "dots" | "rings" | "dotted line" | "area";

interface ToldAxis {
  kind: "linear" | "logarithmic" | "decades" | "time" | "logarithmic time";
  title?: string;
  low?: number;
  high?: number;
  ticks?: Tick[];
}

interface ToldSeries {
  name?: string; // in the legend
  ink: Ink;
  mark: Mark;
  size: number; // pixels: of a stroke, or across a dot
  points: { x: number | null; y: number | null; text?: string }[]; // null: a gap
  isRight?: boolean;
  lower?: (number | null)[];
  strengths?: number[];
}

/** A figure as the server tells it; null is a number that is not finite. */
export interface ToldFigure {
  bottom: ToldAxis;
  left: ToldAxis;
  right?: ToldAxis;
  series: ToldSeries[];
  cells?: { x: number; y: number; width: number; height: number; ink: Ink; text?: string }[];
  bars?: { name: string; ink: Ink; values: number[] }[]; // parts of each bar, which the left axis names
  barTexts?: string[];
  notes?: { x: number | null; y: number | null; text: string; ink: Ink }[];
  isEmpty: boolean;
  isCurve?: boolean;
  missing?: string;
  description?: string;
}

const seriesColours = 4;
const runColours = 10;
const dashes: Partial<Record<Mark, string>> = { dashed: "5 4", dotted: "1.5 3" };

const known = (value: number | null) => value ?? NaN;

function colourOf([token, index]: Ink): string {
  if (token === "series") return `var(--series-${(index % seriesColours) + 1})`;
  if (token === "run") return `var(--run-${(index % runColours) + 1})`;
  return `var(--${token})`;
}

function axisOf({ kind, title, low, high, ticks }: ToldAxis): Axis {
  const isLog = kind !== "linear" && kind !== "time";
  return {
    kind: isLog ? "log" : kind,
    ...(title !== undefined && { title }),
    ...(low !== undefined && { low }),
    ...(high !== undefined && { high }),
    ...(ticks !== undefined && { ticks }),
  };
}

function lineOf({ ink, mark, size, points, isRight, lower, strengths }: ToldSeries): FigureSeries {
  const isStroke = mark === "line" || mark === "dashed" || mark === "dotted";
  const dash = dashes[mark];
  return {
    colour: colourOf(ink),
    mark: isStroke ? "line" : mark,
    size: mark === "dots" || mark === "rings" ? size / 2 : size,
    opacity: ink[2],
    points: points.map(({ x, y, text }, i) => ({
      x: known(x),
      y: known(y),
      ...(text !== undefined && { text }),
      ...(strengths !== undefined && { strength: strengths[i] ?? 1 }),
    })),
    ...(dash !== undefined && { dash }),
    ...(isRight && { isRight }),
    ...(lower !== undefined && { lower: lower.map(known) }),
  };
}

// The parts of each bar, one behind the other; who points at a bar reads of all its parts.
function barsOf(bars: NonNullable<ToldFigure["bars"]>, texts: readonly string[]): FigureSeries[] {
  const ends = texts.map(() => 0);
  return bars.map(({ ink, values }) => ({
    colour: colourOf(ink),
    mark: "bars",
    opacity: ink[2],
    points: values.map((value, y) => {
      const x = ends[y]!;
      ends[y] = x + value;
      return { x, to: x + value, y, text: texts[y]! };
    }).filter((bar) => bar.to > bar.x),
  }));
}

export function figureOf(told: ToldFigure): FigureData {
  const { bars = [], barTexts = [], cells = [], notes = [] } = told;
  const names = told.left.ticks?.map((tick) => tick.label) ?? [];
  return {
    bottom: axisOf(told.bottom),
    left: bars.length > 0 ? { kind: "names", names, ...(told.left.title !== undefined && { title: told.left.title }) } : axisOf(told.left),
    ...(told.right && { right: axisOf(told.right) }),
    cells: cells.map(({ ink, ...cell }) => ({ ...cell, colour: colourOf(ink), opacity: ink[2] })),
    series: [...barsOf(bars, barTexts), ...told.series.map(lineOf)],
    notes: notes.map(({ x, y, text, ink }) => ({ x: known(x), y: known(y), text, colour: colourOf(ink) })),
    ...(told.isCurve && { isCurve: true }),
    description: told.description ?? "",
    ...(told.isEmpty && { missing: told.missing ?? say("There is nothing to show yet.") }),
  };
}

/** Returns the legend: the names of lines and of parts of bars, each with its colour. */
export function legendOf({ series, bars = [] }: ToldFigure): HTMLElement[] {
  const named = [...bars, ...series].filter((each) => each.name !== undefined && each.name !== "");
  return named.map((each) => {
    const swatch = h("i.swatch", { "data-mark": "mark" in each ? each.mark : "area" });
    swatch.style.color = colourOf(each.ink);
    swatch.style.opacity = String(Math.max(0.15, each.ink[2]));
    return h("span.key", {}, swatch, each.name!);
  });
}
