// SPDX-License-Identifier: Apache-2.0
// Lines and bands on a chart's canvas, in its pixels.
import type { Colours } from "../base/theme";
import type { Columns, Projection } from "./columns";
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

export function paintStroke(context: CanvasRenderingContext2D, stroke: Stroke, look: LineLook, ink: Ink,
  projection: Projection, ratio: number): void {
  const { columns, values } = stroke;
  context.strokeStyle = context.fillStyle = ink.colour;
  context.lineJoin = "bevel";
  context.setLineDash([]);
  if (!look.isStepped && !look.isSparse && !look.isBare && !columns.isFlat) {
    context.globalAlpha = 0.16;
    envelope(context, columns, columns.low, columns.high, projection);
  }
  if (stroke.isGhosted && !look.isBare) {
    context.globalAlpha = 0.32;
    context.lineWidth = ratio;
    trace(context, columns, columns.mean, projection);
  }
  context.globalAlpha = 1;
  context.lineWidth = (look.isBound ? 1 : 1.6) * ratio;
  context.setLineDash(ink.dash.map((length) => length * ratio));
  if (look.isStepped) stairs(context, columns, projection);
  else trace(context, columns, values, projection);
  if (look.isSparse) markers(context, columns, projection, ratio);
}

/** Paints the area between two lines of the same columns, pale, below the lines. */
export function paintBetween(context: CanvasRenderingContext2D, low: Stroke, high: Stroke, ink: Ink, projection: Projection): void {
  context.fillStyle = ink.colour;
  context.globalAlpha = 0.14;
  if (low.columns.size === high.columns.size) envelope(context, low.columns, low.values, high.values, projection);
  context.globalAlpha = 1;
}

// Paints the band between the lowest and the highest of each column.
function envelope(context: CanvasRenderingContext2D, columns: Columns, low: Float64Array, high: Float64Array, projection: Projection): void {
  let start = 0;
  const close = (end: number) => {
    if (end - start > 1) {
      context.beginPath();
      for (let i = start; i < end; ++i) context.lineTo(columns.x[i]!, projection.y(high[i]!));
      for (let i = end - 1; i >= start; --i) context.lineTo(columns.x[i]!, projection.y(low[i]!));
      context.fill();
    }
  };
  for (let i = 0; i < columns.size; ++i) {
    const isNumber = Number.isFinite(projection.y(low[i]!)) && Number.isFinite(projection.y(high[i]!));
    if (i > start && (columns.isAfterHole[i] || !isNumber)) {
      close(i);
      start = isNumber ? i : i + 1;
    } else if (!isNumber) {
      start = i + 1;
    }
  }
  close(columns.size);
}

function trace(context: CanvasRenderingContext2D, columns: Columns, values: Float64Array, projection: Projection): void {
  context.beginPath();
  const pen = new Pen(context);
  let isDown = false;
  for (let i = 0; i < columns.size; ++i) {
    const y = projection.y(values[i]!);
    const isNumber = Number.isFinite(y);
    if (isNumber && isDown && !columns.isAfterHole[i]) pen.lineTo(columns.x[i]!, y);
    else if (isNumber) pen.moveTo(columns.x[i]!, y);
    isDown = isNumber;
  }
  pen.end();
  context.stroke();
}

// A value holds until the next one, and where it changes within a column the line goes over all that it was.
function stairs(context: CanvasRenderingContext2D, columns: Columns, projection: Projection): void {
  context.beginPath();
  let before = NaN;
  for (let i = 0; i < columns.size; ++i) {
    const x = columns.x[i]!;
    const y = projection.y(columns.mean[i]!);
    if (!Number.isFinite(y)) continue;
    if (!Number.isFinite(before)) context.moveTo(x, y);
    else if (y !== before || i === columns.size - 1) context.lineTo(x, before);
    if (columns.high[i]! > columns.low[i]!) {
      context.lineTo(x, projection.y(columns.low[i]!));
      context.lineTo(x, projection.y(columns.high[i]!));
    }
    if (y !== before) context.lineTo(x, y);
    before = y;
  }
  context.stroke();
}

function markers(context: CanvasRenderingContext2D, columns: Columns, projection: Projection, ratio: number): void {
  context.beginPath();
  for (let i = 0; i < columns.size; ++i) {
    const y = projection.y(columns.mean[i]!);
    if (!Number.isFinite(y)) continue;
    context.moveTo(columns.x[i]! + 2.2 * ratio, y);
    context.arc(columns.x[i]!, y, 2.2 * ratio, 0, 2 * Math.PI);
  }
  context.fill();
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
