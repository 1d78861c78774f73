// SPDX-License-Identifier: Apache-2.0
// The cross-hair in one chart: the line is uPlot's, on each line of the chart lies a ring, and the legend has what was
// measured there.
import type uPlot from "uplot";
import { h } from "../base/dom";
import * as format from "../base/format";
import type { Legend } from "./legend";
import type { Stroke } from "./paint";
import { firstFrom, nearest } from "./piece";
import type { Drawn } from "./scene";

const closeBy = 6; // pixels behind its end where a line is still meant
const beside = { left: -10, top: -10 }; // where uPlot shows no cursor

// Where a line is drawn nearest to a place, in pixels of the canvas; of generations that overlap there, in the newest.
function pointOn(strokes: readonly Stroke[], px: number): { x: number; value: number } | null {
  let best: { x: number; value: number } | null = null;
  for (const { columns, values } of strokes) {
    const after = Math.min(firstFrom(columns.x, columns.size, px), columns.size - 1);
    for (const i of after > 0 ? [after - 1, after] : [after]) {
      const x = columns.x[i]!;
      if (best === null || Math.abs(x - px) <= Math.abs(best.x - px)) best = { x, value: values[i]! };
    }
  }
  return best;
}

export class CrossHair {
  private readonly rings = new Map<string, HTMLElement>();
  private isShown = false;

  constructor(private readonly legend: Legend) {}

  show(plot: uPlot, at: number, drawn: readonly Drawn[]): void {
    this.isShown = true;
    const left = plot.valToPos(at, "x");
    plot.setCursor({ left, top: 0 }, false);
    const values = new Map<string, string>();
    for (const each of drawn) {
      const { look, key, pieces } = each.line;
      // One of several runs may not reach as far.
      const isOver = !look.isSparse && left - plot.valToPos(pieces.at(-1)?.x1.at(-1) ?? NaN, "x") > closeBy;
      const found = isOver ? null : nearest(pieces, at, look.isStepped);
      values.set(key, format.number(found ? found.piece.mean[found.index]! : NaN));
      const point = look.isBound || isOver ? null : pointOn(each.strokes, plot.valToPos(at, "x", true));
      const top = point === null ? NaN : plot.valToPos(point.value, look.isRight ? "right" : "y");
      // A sparse series has its ring where it was measured.
      const isAside = look.isSparse && point !== null;
      this.place(plot, each, isAside ? (point.x - plot.bbox.left) / devicePixelRatio : left, top);
    }
    this.legend.setValues(values);
  }

  hide(plot: uPlot): void {
    if (!this.isShown) return;
    this.isShown = false;
    plot.setCursor(beside, false);
    for (const ring of this.rings.values()) ring.hidden = true;
    this.legend.setValues(null);
  }

  /** The plot that it was in is gone. */
  forget(): void {
    this.rings.clear();
  }

  private place(plot: uPlot, { line, ink }: Drawn, left: number, top: number): void {
    let ring = this.rings.get(line.key);
    if (ring === undefined) {
      ring = h("div.ring");
      this.rings.set(line.key, ring);
      plot.over.append(ring);
    }
    const { width, height } = plot.bbox;
    const isWithin = left >= 0 && left <= width / devicePixelRatio && top >= 0 && top <= height / devicePixelRatio;
    ring.hidden = !isWithin;
    ring.style.transform = `translate(${left}px, ${top}px)`;
    if (ring.style.color !== ink.colour) ring.style.color = ink.colour;
  }
}
