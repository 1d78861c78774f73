// SPDX-License-Identifier: Apache-2.0
// The lines of trials through the axes of a parallel plot, on a canvas, which draws thousands of them within a frame. The
// better a trial did, the nearer its line's colour is to the accent and the later it is drawn; the best is orange, on top.
import type { Colours } from "../base/theme";

export type Place = readonly [number, number];

export interface TrialLine {
  trial: number;
  places: readonly Place[];
  rank: number; // 0..1; NaN: the trial has no value yet
  isKept: boolean; // by the brushes
  isBest: boolean;
}

const many = 200; // lines, which are drawn thin
const leastStrength = 0.2;
const dots = [2, 3]; // pixels, of a line without a value

/** Returns the lines in the order in which they are drawn. */
export function inOrder(lines: readonly TrialLine[]): TrialLine[] {
  const place = (line: TrialLine) => (line.isBest && line.isKept ? 4 : line.isKept ? 2 : 0) + (Number.isNaN(line.rank) ? -1 : line.rank);
  return [...lines].sort((a, b) => place(a) - place(b));
}

export function paintLines(canvas: HTMLCanvasElement, lines: readonly TrialLine[], width: number, height: number, colours: Colours): void {
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.lineJoin = "bevel";
  const isDense = lines.length > many;
  for (const line of inOrder(lines)) {
    if (line.isBest && line.isKept) {
      stroke(context, line, colours.panel, 4.5);
      stroke(context, line, colours.runs[1]!, 2.5);
    } else {
      const isPending = line.isKept && Number.isNaN(line.rank);
      context.setLineDash(isPending && !isDense ? dots : []);
      stroke(context, line, colourOf(line, colours), isDense ? 1 / ratio : 1.4);
      context.setLineDash([]);
    }
  }
}

function colourOf({ isKept, rank }: TrialLine, { panel, accent, faint, grid }: Colours): string {
  if (!isKept) return grid;
  return Number.isNaN(rank) ? faint : mixed(panel, accent, leastStrength + (1 - leastStrength) * rank);
}

function stroke(context: CanvasRenderingContext2D, { places }: TrialLine, colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  for (const [x, y] of places) context.lineTo(x, y);
  context.stroke();
}

/** Returns the colour so far on the way from one to another, all as #rrggbb. */
export function mixed(from: string, to: string, share: number): string {
  const parts = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const ends = parts(to);
  return "#" + parts(from).map((part, i) => Math.round(part + (ends[i]! - part) * share).toString(16).padStart(2, "0")).join("");
}
