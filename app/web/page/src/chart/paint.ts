// SPDX-License-Identifier: Apache-2.0
// Lines and bands on a chart's canvas, in its pixels.
import type { Colours } from "../base/theme";
import { type Columns, type Mapping, pixelOf } from "./columns";
import type { Band, LineLook } from "./line";
import { Pen } from "./pen";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A line's columns in one generation, and the values to draw through them. */
export interface Stroke {
  columns: Columns;
  values: Float64Array;
  isGhosted: boolean; // values are smoothed: the means themselves are drawn pale behind them
}

export interface Ink {
  colour: string;
  dash: readonly number[];
}

const leastStep = 1;
const closeBy = 4; // device pixels between two columns that lie close

// Dashes by a line's place in its chart, for those who cannot tell the colours apart.
const dashes = [[], [4, 2.5], [1, 2.5], [5, 2, 1, 2], [8, 2.5], [5, 2, 1, 2, 1, 2]];

export function inkOf(look: LineLook, place: number, colours: Colours, isColourBlind: boolean): Ink {
  if (look.isBound) return { colour: colours.dim, dash: [1, 3] };
  const dash = isColourBlind ? dashes[place % dashes.length]! : look.isDashed ? [4, 3] : [];
  return { colour: colours.runs[look.colour % colours.runs.length]!, dash };
}

export function paintBands(context: CanvasRenderingContext2D, bands: readonly Band[], x: (value: number) => number,
  box: Box, colours: Colours): void {
  context.save();
  context.fillStyle = colours.selection;
  bands.forEach((band, i) => {
    if (i % 2 === 0) return;
    const left = Math.max(box.left, x(band.from));
    const right = Math.min(box.left + box.width, x(band.to));
    if (right > left) context.fillRect(left, box.top, right - left, box.height);
  });
  context.restore();
}

/** A text in the middle of the plot, where there is nothing else. */
export function paintText(context: CanvasRenderingContext2D, text: string, box: Box, colours: Colours, ratio: number): void {
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  context.save();
  context.font = `${11 * ratio}px ${fontFamily}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const width = context.measureText(text).width + 12 * ratio;
  context.fillStyle = colours.panel;
  context.fillRect(x - width / 2, y - 8 * ratio, width, 16 * ratio); // no line of the grid crosses it
  context.fillStyle = colours.dim;
  context.fillText(text, x, y);
  context.restore();
}

/** A dashed line at each restart, and above each band how many replicas trained. */
export function paintRestarts(context: CanvasRenderingContext2D, bands: readonly Band[], x: (value: number) => number,
  box: Box, colours: Colours, ratio: number): void {
  context.save();
  context.strokeStyle = context.fillStyle = colours.accent;
  context.lineWidth = ratio;
  context.setLineDash([3 * ratio, 3 * ratio]);
  context.font = `600 ${10.5 * ratio}px ${fontFamily}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  const right = box.left + box.width;
  let written = -Infinity;
  for (const band of bands) {
    const start = x(band.from);
    const end = Math.min(right, x(band.to));
    if (end < box.left || start > right) continue;
    if (band.isRestart && start >= box.left) {
      const middle = Math.round(start) + 0.5 * (ratio % 2);
      context.beginPath();
      context.moveTo(middle, box.top);
      context.lineTo(middle, box.top + box.height);
      context.stroke();
    }
    if (band.replicas === null) continue;
    const text = `×${band.replicas}`;
    const at = Math.max(start, box.left) + 4 * ratio;
    const width = context.measureText(text).width;
    if (at < written + 4 * ratio || at + width > end) continue;
    context.fillText(text, at, box.top + 3 * ratio);
    written = at + width;
  }
  context.restore();
}

export const fontFamily = "system-ui, 'DejaVu Sans', 'Noto Sans', sans-serif";

/** Paints a line, each of its layers by one path: a path of many corners costs less than many of few. */
export function paintLine(context: CanvasRenderingContext2D, strokes: readonly Stroke[], look: LineLook, ink: Ink, y: Mapping,
  ratio: number): void {
  context.strokeStyle = context.fillStyle = ink.colour;
  context.lineJoin = "bevel";
  context.setLineDash([]);
  if (!look.isStepped && !look.isSparse && !look.isBare) {
    context.globalAlpha = 0.16;
    context.beginPath();
    for (const { columns } of strokes) if (!columns.isFlat) envelope(context, columns, columns.low, columns.high, y);
    context.fill();
    context.globalAlpha = 0.32;
    context.lineWidth = ratio;
    context.beginPath();
    for (const { columns, isGhosted } of strokes) if (isGhosted) trace(context, columns, columns.mean, y);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineWidth = (look.isBound ? 1 : 1.6) * ratio;
  context.setLineDash(ink.dash.map((length) => length * ratio));
  context.beginPath();
  for (const { columns, values } of strokes) {
    if (look.isStepped) stairs(context, columns, y);
    else trace(context, columns, values, y);
  }
  context.stroke();
  if (!look.isSparse) return;
  context.beginPath();
  for (const { columns } of strokes) markers(context, columns, y, ratio);
  context.fill();
}

/** Paints the areas between two lines of the same columns, pale, below the lines. */
export function paintBetween(context: CanvasRenderingContext2D, bands: readonly [low: Stroke, high: Stroke][], ink: Ink, y: Mapping): void {
  if (bands.length === 0) return;
  context.fillStyle = ink.colour;
  context.globalAlpha = 0.14;
  context.beginPath();
  for (const [low, high] of bands) {
    if (low.columns.size === high.columns.size) envelope(context, low.columns, low.values, high.values, y);
  }
  context.fill();
  context.globalAlpha = 1;
}

// Goes around the band between the lowest and the highest of each column.
function envelope(context: CanvasRenderingContext2D, columns: Columns, low: Float64Array, high: Float64Array, y: Mapping): void {
  const { size, x, isAfterHole } = columns;
  const isSeen = (value: number) => Number.isFinite(value) && (!y.isLog || value > 0);
  let start = 0;
  const close = (end: number) => {
    if (end - start < 2) return;
    context.moveTo(Math.round(x[start]!), Math.round(pixelOf(y, high[start]!)));
    edge(context, columns, high, start, end - 1, y);
    edge(context, columns, low, end - 1, start, y);
  };
  for (let i = 0; i < size; ++i) {
    const isNumber = isSeen(low[i]!) && isSeen(high[i]!);
    if (i > start && (isAfterHole[i] || !isNumber)) {
      close(i);
      start = isNumber ? i : i + 1;
    } else if (!isNumber) {
      start = i + 1;
    }
  }
  close(size);
}

// Goes along one edge of that band, from a column to another, also backwards. Where columns lie close it goes by steps: what
// has only upright and level edges is filled in half the time.
function edge(context: CanvasRenderingContext2D, { x }: Columns, values: Float64Array, from: number, to: number, y: Mapping): void {
  const step = from < to ? 1 : -1;
  let level = Math.round(pixelOf(y, values[from]!));
  context.lineTo(Math.round(x[from]!), level);
  for (let i = from + step; i !== to + step; i += step) {
    const at = Math.round(pixelOf(y, values[i]!));
    if (Math.abs(at - level) <= leastStep) continue;
    const [before, here] = [Math.round(x[i - step]!), Math.round(x[i]!)];
    const isClose = Math.abs(here - before) <= closeBy;
    context.lineTo(isClose && step > 0 ? here : before, level);
    context.lineTo(isClose && step < 0 ? before : here, at);
    level = at;
  }
  context.lineTo(Math.round(x[to]!), level);
}

function trace(context: CanvasRenderingContext2D, columns: Columns, values: Float64Array, y: Mapping): void {
  const { size, x, isAfterHole } = columns;
  const pen = new Pen(context);
  let isDown = false;
  for (let i = 0; i < size; ++i) {
    const at = pixelOf(y, values[i]!);
    const isNumber = Number.isFinite(at);
    if (isNumber && isDown && !isAfterHole[i]) pen.lineTo(x[i]!, at);
    else if (isNumber) pen.moveTo(x[i]!, at);
    isDown = isNumber;
  }
  pen.end();
}

// A value holds until the next one, and where it changes within a column the line goes over all that it was.
function stairs(context: CanvasRenderingContext2D, columns: Columns, y: Mapping): void {
  let before = NaN;
  for (let i = 0; i < columns.size; ++i) {
    const x = columns.x[i]!;
    const at = pixelOf(y, columns.mean[i]!);
    if (!Number.isFinite(at)) continue;
    if (!Number.isFinite(before)) context.moveTo(x, at);
    else if (at !== before || i === columns.size - 1) context.lineTo(x, before);
    if (columns.high[i]! > columns.low[i]!) {
      context.lineTo(x, pixelOf(y, columns.low[i]!));
      context.lineTo(x, pixelOf(y, columns.high[i]!));
    }
    if (at !== before) context.lineTo(x, at);
    before = at;
  }
}

function markers(context: CanvasRenderingContext2D, columns: Columns, y: Mapping, ratio: number): void {
  for (let i = 0; i < columns.size; ++i) {
    const at = pixelOf(y, columns.mean[i]!);
    if (!Number.isFinite(at)) continue;
    context.moveTo(columns.x[i]! + 2.2 * ratio, at);
    context.arc(columns.x[i]!, at, 2.2 * ratio, 0, 2 * Math.PI);
  }
}

export function paintBound(context: CanvasRenderingContext2D, y: number, box: Box, colours: Colours, ratio: number): void {
  context.strokeStyle = colours.dim;
  context.lineWidth = ratio;
  context.setLineDash([ratio, 3 * ratio]);
  context.beginPath();
  context.moveTo(box.left, y);
  context.lineTo(box.left + box.width, y);
  context.stroke();
}
