// SPDX-License-Identifier: Apache-2.0
// Parallel coordinates (Inselberg, 1985): an axis beside another for every parameter and for the metric, and each trial a
// line through its values (trial_lines.ts). Where there is no room for that, the axes lie one below the
// other. Dragging along an axis brushes it (arrows move a brush, with Shift they widen it, Escape takes it away), and trials
// outside of a brush fade.
import { say } from "../base/say";
import { colours, themed } from "../base/theme";
import { beforeNextFrame } from "../chart/frame";
import { pathOf, svg } from "../base/svg";
import type { Brushes } from "./brushes";
import { paintLines, type Place, type TrialLine } from "./trial_lines";
import { crossing, type TrialAxis } from "./trials";

export interface ParallelData {
  axes: readonly TrialAxis[]; // the metric's is the last
  ranks: readonly number[];
  best: number; // -1: none yet
  text(trial: number): string;
}

const height = 250;
const narrow = 560; // pixels of width below which the axes lie one below the other
const rowHeight = 64; // of such an axis
const noneRoom = 22; // below an axis, where trials without a value of it pass
const grip = 15; // pixels on either side of an axis where a drag is meant for it
const reach = 12; // of the pointer to a line
const step = 0.05; // of an axis, a press of an arrow

export class ParallelPlot {
  readonly element = document.createElement("div");
  readonly #tip = document.createElement("div");
  readonly #canvas = document.createElement("canvas");
  readonly #pointed = svg("g", { class: "pointed" }); // the line under the pointer
  #data: ParallelData | undefined;
  #lines: TrialLine[] = [];
  #axes: { axis: TrialAxis; from: Place; to: Place }[] = [];
  readonly #observer: ResizeObserver;
  readonly #endThemes: () => void;

  constructor(readonly brushes: Brushes, readonly brushed: () => void, readonly opened: (trial: number) => void) {
    this.element.className = "figure parallel";
    this.#tip.className = "tip";
    this.#tip.hidden = true;
    this.#endThemes = themed.listen(() => this.draw());
    this.#observer = new ResizeObserver(() => this.draw());
    this.#observer.observe(this.element);
    // The drawing is made anew while it is dragged in, and so hears nothing itself (figure.css).
    this.element.addEventListener("pointerdown", (event) => this.#drag(event));
    this.element.addEventListener("pointermove", (event) => this.#point(event));
    this.element.addEventListener("pointerleave", () => this.#mark(undefined));
    this.element.addEventListener("dblclick", (event) => {
      const line = this.#lineAt(event);
      if (line !== undefined) this.opened(line.trial);
    });
  }

  show(data: ParallelData): void {
    this.#data = data;
    this.draw();
  }

  end(): void {
    this.#observer.disconnect();
    this.#endThemes();
  }

  draw(): void {
    const width = this.element.clientWidth;
    const data = this.#data;
    if (!data || width === 0) return;
    const isUpright = width >= narrow;
    const full = isUpright ? height : rowHeight * data.axes.length + 16;
    const focused = (this.element.querySelector(":focus") as SVGElement | null)?.dataset["axis"];
    const root = svg("svg", { width, height: full });
    const hasGaps = data.axes.slice(0, -1).some(hasGap);
    const room = { left: 46, right: 46, top: 30, bottom: 12 + (hasGaps ? noneRoom : 0) };
    const place = (axis: number, share: number): Place =>
      isUpright
        ? [room.left + ((width - room.left - room.right) * axis) / Math.max(1, data.axes.length - 1), full - room.bottom - (full - room.top - room.bottom) * share]
        : [14 + (width - 28) * share, 28 + rowHeight * axis];
    const none = isUpright ? (5 - noneRoom) / (full - room.top - room.bottom) : -10 / (width - 28);
    this.#lines = this.#trialLines(data, place, none);
    paintLines(this.#canvas, this.#lines, width, full, colours());
    this.#axes = data.axes.map((axis, i) => ({ axis, from: place(i, 0), to: place(i, 1) }));
    this.element.style.touchAction = isUpright ? "pan-x" : "pan-y"; // a finger that goes along an axis brushes it
    data.axes.forEach((axis, i) => root.append(this.#axis(axis, i, data.axes.length, place, isUpright, none)));
    this.element.style.height = `${full}px`;
    root.append(this.#pointed);
    this.#pointed.replaceChildren();
    this.element.replaceChildren(this.#canvas, root, this.#tip);
    if (focused !== undefined) (root.querySelector(`[data-axis="${CSS.escape(focused)}"]`) as SVGElement | null)?.focus();
  }

  // Through all axes, at `none` of one that it has no value of; without a metric it ends before the metric's axis.
  #trialLines(data: ParallelData, place: (axis: number, share: number) => Place, none: number): TrialLine[] {
    return data.ranks.map((rank, trial) => {
      const shares = data.axes.map((axis) => crossing(axis, trial));
      if (!Number.isFinite(shares.at(-1))) shares.pop();
      const places = shares.map((share, i) => place(i, Number.isFinite(share) ? share : none));
      return { trial, places, rank, isKept: this.brushes.keeps(data.axes, trial), isBest: trial === data.best };
    });
  }

  #axis(axis: TrialAxis, index: number, count: number, place: (axis: number, share: number) => Place, isUpright: boolean, none: number): SVGGElement {
    const [x0, y0] = place(index, 0);
    const [x1, y1] = place(index, 1);
    const stretch = this.brushes.at(axis);
    const group = svg("g", {
      class: "axis-handle", tabindex: 0, role: "slider", "data-axis": axis.name, "aria-label": say("Brush of {}", axis.name),
      "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * (stretch?.from ?? 0)),
      "aria-valuetext": stretch ? say("{} to {} percent of the axis", Math.round(100 * stretch.from), Math.round(100 * stretch.to)) : say("all of it"),
      "aria-orientation": isUpright ? "vertical" : "horizontal",
    });
    group.append(svg("line", { class: "axis", x1: x0, y1: y0, x2: x1, y2: y1 }));
    const title = isUpright
      ? { x: x1, y: 14, "text-anchor": index === 0 ? "start" : index === count - 1 ? "end" : "middle", dx: index === 0 ? -x1 + 4 : index === count - 1 ? 42 : 0 }
      : { x: x0, y: y0 - 12, "text-anchor": "start" };
    group.append(svg("text", { ...title, class: "axis-title" }, axis.name));
    let free = -Infinity;
    for (const tick of axis.scale.ticks) {
      const share = axis.scale.at(tick.value);
      if (share < -0.001 || share > 1.001) continue;
      const [x, y] = place(index, share);
      if (isUpright) {
        const isLast = index === count - 1;
        group.append(svg("line", { class: "axis", x1: x, y1: y, x2: x + (isLast ? 4 : -4), y2: y }));
        group.append(svg("text", { x: x + (isLast ? 7 : -7), y: y + 4, "text-anchor": isLast ? "start" : "end" }, tick.label));
      } else {
        const half = tick.label.length * 3.2;
        if (x - half < free) continue;
        free = x + half + 4;
        group.append(svg("text", { x, y: y + 15, "text-anchor": "middle" }, tick.label));
      }
    }
    if (isUpright && index < count - 1 && hasGap(axis)) {
      const [x, y] = place(index, none);
      group.append(svg("text", { x: x - 7, y: y + 4, "text-anchor": "end" }, say("none")));
    }
    if (stretch) {
      const [ax, ay] = place(index, stretch.from);
      const [bx, by] = place(index, stretch.to);
      group.append(svg("rect", {
        class: "brush", rx: 2, x: Math.min(ax, bx) - (isUpright ? 6 : 0), y: Math.min(ay, by) - (isUpright ? 0 : 6),
        width: Math.abs(bx - ax) + (isUpright ? 12 : 0), height: Math.abs(by - ay) + (isUpright ? 0 : 12),
      }));
    }
    const grab = svg("rect", {
      class: "grab", x: Math.min(x0, x1) - (isUpright ? grip : 0), y: Math.min(y0, y1) - (isUpright ? 0 : grip),
      width: Math.abs(x1 - x0) + (isUpright ? 2 * grip : 0), height: Math.abs(y1 - y0) + (isUpright ? 0 : 2 * grip),
    });
    group.append(grab);
    group.addEventListener("keydown", (event) => this.#press(event, axis));
    return group;
  }

  #placeOf(event: MouseEvent): Place {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // The axis that is meant, and how far along it.
  #axisAt(event: MouseEvent): { axis: TrialAxis; along(event: MouseEvent): number } | undefined {
    const at = this.#placeOf(event);
    const near = this.#axes.find(({ from, to }) => distanceTo(at, from, to) <= grip);
    if (!near) return undefined;
    const [dx, dy] = [near.to[0] - near.from[0], near.to[1] - near.from[1]];
    const along = (moved: MouseEvent) => {
      const [x, y] = this.#placeOf(moved);
      return Math.max(0, Math.min(1, ((x - near.from[0]) * dx + (y - near.from[1]) * dy) / (dx * dx + dy * dy)));
    };
    return { axis: near.axis, along };
  }

  #drag(event: PointerEvent): void {
    const near = this.#axisAt(event);
    if (!near || event.button !== 0) return;
    const { element } = this;
    const { axis, along } = near;
    element.setPointerCapture(event.pointerId);
    const from = along(event);
    const ended = new AbortController();
    const move = (moved: PointerEvent) => {
      this.brushes.set(axis, { from, to: along(moved) });
      beforeNextFrame(this.#showBrushes);
    };
    element.addEventListener("pointermove", move, ended);
    element.addEventListener("pointerup", (last) => {
      move(last);
      ended.abort();
    }, ended);
    element.addEventListener("pointercancel", () => ended.abort(), ended);
  }

  readonly #showBrushes = () => {
    this.draw();
    this.brushed();
  };

  #press(event: KeyboardEvent, axis: TrialAxis): void {
    const by = { ArrowUp: step, ArrowRight: step, ArrowDown: -step, ArrowLeft: -step }[event.key];
    if (by !== undefined) {
      if (event.shiftKey) this.brushes.widen(axis, by);
      else this.brushes.move(axis, by);
    } else if (event.key === "Escape" && this.brushes.at(axis)) {
      this.brushes.set(axis);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    this.#showBrushes();
  }

  #lineAt(event: MouseEvent): TrialLine | undefined {
    const [x, y] = this.#placeOf(event);
    let nearest: TrialLine | undefined;
    let least = reach;
    for (const line of this.#lines) {
      if (!line.isKept) continue;
      for (let i = 1; i < line.places.length; ++i) {
        const distance = distanceTo([x, y], line.places[i - 1]!, line.places[i]!);
        if (distance <= least) [nearest, least] = [line, distance];
      }
    }
    return nearest;
  }

  #mark(line: TrialLine | undefined): void {
    this.#tip.hidden = line === undefined;
    const path = line && { d: pathOf(line.places), fill: "none", "stroke-linejoin": "round" };
    this.#pointed.replaceChildren(...(path ? [svg("path", { ...path, class: "halo" }), svg("path", { ...path, class: line.isBest ? "best" : "line" })] : []));
  }

  #point(event: PointerEvent): void {
    const line = event.buttons === 0 ? this.#lineAt(event) : undefined;
    this.element.style.cursor = this.#axisAt(event) ? "crosshair" : "";
    this.#mark(line);
    if (line === undefined || !this.#data) return;
    this.#tip.textContent = this.#data.text(line.trial);
    const box = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    this.#tip.style.left = `${Math.max(4, Math.min(box.width - this.#tip.offsetWidth - 4, x + 12))}px`;
    this.#tip.style.top = `${Math.max(0, Math.min(box.height - this.#tip.offsetHeight, y + 12))}px`;
  }
}

const hasGap = (axis: TrialAxis) => axis.values.some(Number.isNaN);

function distanceTo([x, y]: Place, [ax, ay]: Place, [bx, by]: Place): number {
  const [dx, dy] = [bx - ax, by - ay];
  const share = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
}
