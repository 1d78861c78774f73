// SPDX-License-Identifier: Apache-2.0
// A figure of few points at rest, as the window's Figure: axes, and in them lines, dots, bars and notes. Whoever makes one
// says what is in it (FigureData) and nothing of pixels; it is drawn anew as its room changes. A point with a text
// shows it under the pointer, and one with an address leads there.
import type { Tick } from "../base/ticks";
import { type Axis, type Scale, scaleOf } from "./scale";
import { pathOf, svg } from "../base/svg";

export interface FigurePoint {
  x: number;
  y: number;
  to?: number; // of a bar: where it ends
  text?: string;
  strength?: number; // 0..1: how much it shows
  open?: () => void;
}

export interface FigureSeries {
  colour: string; // such as var(--accent)
  mark: "line" | "dots" | "rings" | "dotted line" | "area" | "bars"; // bars lie along x
  points: readonly FigurePoint[];
  lower?: readonly number[]; // of an area, whose points are its upper edge
  size?: number; // of a line its width, of dots and rings their radius
  dash?: string;
  opacity?: number;
  isRight?: boolean; // belongs to the axis at the right
}

/** A dashed line from top to bottom, or across where x is not a number, or where both are, a word beside the place. */
export interface FigureNote {
  x: number;
  y?: number;
  text?: string;
  colour?: string;
}

/** A rectangle beneath all else, in the units of the axes; one without height is as high as the plot. */
export interface FigureCell {
  x: number;
  y: number;
  width: number;
  height: number;
  colour: string;
  opacity: number; // of 0, it can only be pointed at
  text?: string;
}

export interface FigureData {
  bottom: Axis;
  left: Axis;
  right?: Axis;
  cells?: readonly FigureCell[];
  series: readonly FigureSeries[];
  notes?: readonly FigureNote[];
  isCurve?: boolean; // pointing anywhere shows the point above or below
  description: string; // of what is to be seen, for those who do not see it
  missing?: string; // stands there instead, where there is nothing to draw
}

const reach = 24; // pixels between the pointer and a point that it is on
const fontSize = 11;
const digitWidth = 6.2;

interface Spot {
  x: number;
  y: number;
  point: FigurePoint;
}

// The rectangle of a cell with a text, in pixels.
interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
  text: string;
}

function widest(ticks: readonly Tick[]): number {
  return Math.max(0, ...ticks.map((tick) => tick.label.length)) * digitWidth;
}

export class Figure {
  readonly element = document.createElement("div");
  readonly #tip = document.createElement("div");
  #data: FigureData | undefined;
  #spots: Spot[] = [];
  #regions: Region[] = []; // the topmost last
  #drawn = "";
  #across = { left: 0, width: 1, low: 0, high: 1 }; // the plot, in pixels and on its bottom axis
  #observer: ResizeObserver;

  /** Makes a figure as high as `height` pixels say, and as wide as there is room. */
  constructor(readonly height: number) {
    this.element.className = "figure";
    this.element.style.height = `${height}px`;
    this.#tip.className = "tip";
    this.#tip.hidden = true;
    this.#observer = new ResizeObserver(() => this.#draw());
    this.#observer.observe(this.element);
    this.element.addEventListener("pointermove", (event) => this.#point(event));
    this.element.addEventListener("pointerdown", (event) => this.#point(event));
    this.element.addEventListener("pointerleave", () => (this.#tip.hidden = true));
    this.element.addEventListener("click", (event) => this.#spotAt(event)?.point.open?.());
  }

  /** Lets a person drag across it; `dragged` is told the value at the pointer, on a bottom axis that is linear. */
  letDrag(dragged: (x: number) => void): void {
    this.element.classList.add("is-dragged");
    const drag = (event: PointerEvent) => {
      if ((event.buttons & 1) === 0) return;
      const { left, width, low, high } = this.#across;
      const share = (event.clientX - this.element.getBoundingClientRect().left - left) / width;
      dragged(low + Math.min(1, Math.max(0, share)) * (high - low));
      this.#tip.hidden = true;
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.element.addEventListener("pointermove", drag);
  }

  show(data: FigureData): void {
    this.#data = data;
    this.#draw();
  }

  end(): void {
    this.#observer.disconnect();
  }

  #draw(): void {
    const width = this.element.clientWidth;
    const data = this.#data;
    if (!data || width === 0) return;
    const state = JSON.stringify([width, data]);
    if (state === this.#drawn) return;
    this.#drawn = state;
    this.#tip.hidden = true;
    this.#spots = [];
    this.#regions = [];
    if (data.missing) {
      const words = document.createElement("p");
      words.className = "missing";
      words.textContent = data.missing;
      this.element.replaceChildren(words);
      return;
    }
    this.element.replaceChildren(this.#drawing(data, width), this.#tip);
  }

  #drawing(data: FigureData, width: number): SVGSVGElement {
    const points = data.series.flatMap((series) => series.points);
    const cells = data.cells ?? [];
    const ys = (isRight: boolean) => [
      ...data.series.filter((each) => Boolean(each.isRight) === isRight).flatMap((each) => [...each.points.map((point) => point.y), ...(each.lower ?? [])]),
      ...(isRight ? [] : cells.filter((cell) => cell.height > 0).flatMap((cell) => [cell.y, cell.y + cell.height])),
    ];
    const xs = [...points.flatMap((point) => (point.to === undefined ? [point.x] : [point.x, point.to])), ...cells.flatMap((cell) => [cell.x, cell.x + cell.width])];
    const rows = Math.max(2, Math.floor(this.height / 38));
    const left = scaleOf(data.left, ys(false), rows);
    const right = data.right && scaleOf(data.right, ys(true), rows);
    const titles = data.left.title || data.right?.title ? 14 : 0;
    const room = {
      left: widest(left.ticks) + 12,
      right: right ? widest(right.ticks) + 12 : 14,
      top: 8 + titles,
      bottom: 22 + (data.bottom.title ? 15 : 0),
    };
    const [w, h] = [Math.max(40, width - room.left - room.right), Math.max(20, this.height - room.top - room.bottom)];
    const bottom = scaleOf(data.bottom, xs, Math.max(2, Math.floor(w / 62)));
    this.#across = { left: room.left, width: w, low: bottom.low, high: bottom.high };
    const x = (value: number) => room.left + w * bottom.at(value);
    const y = (value: number, scale: Scale = left) => room.top + h * (1 - scale.at(value));

    const root = svg("svg", { width, height: this.height, role: "img", "aria-label": data.description });
    const text = (words: string, attributes: Record<string, string | number>) => svg("text", attributes, words);
    for (const cell of cells) root.append(...this.#cell(cell, x, y, room.top, h));
    for (const tick of left.ticks) {
      const at = y(tick.value);
      if (data.left.kind !== "names") root.append(svg("line", { class: "grid", x1: room.left, x2: room.left + w, y1: at, y2: at }));
      root.append(text(tick.label, { x: room.left - 6, y: at + 4, "text-anchor": "end" }));
    }
    for (const tick of right?.ticks ?? []) root.append(text(tick.label, { x: room.left + w + 6, y: y(tick.value, right) + 4 }));
    root.append(svg("line", { class: "axis", x1: room.left, x2: room.left + w, y1: room.top + h, y2: room.top + h }));
    root.append(...this.#bottomLabels(bottom, x, width, room.top + h + 16));
    if (data.bottom.title) root.append(text(data.bottom.title, { x: room.left + w / 2, y: this.height - 4, "text-anchor": "middle" }));
    if (data.left.title) root.append(text(data.left.title, { x: 2, y: fontSize }));
    if (data.right?.title) root.append(text(data.right.title, { x: width - 2, y: fontSize, "text-anchor": "end" }));

    const noted = (data.notes ?? []).flatMap((note) => this.#note(note, x, y, { left: room.left, top: room.top, width: w, height: h }));
    const barHeight = data.left.kind === "names" ? Math.min(22, (0.6 * h) / Math.max(1, data.left.names?.length ?? 1)) : 10;
    for (const series of data.series) root.append(...this.#marks(series, x, (value) => y(value, series.isRight ? right : left), barHeight));
    root.append(...noted);
    return root;
  }

  #cell(cell: FigureCell, x: (value: number) => number, y: (value: number) => number, top: number, height: number): SVGElement[] {
    const [left, right] = [x(cell.x), x(cell.x + cell.width)];
    const [high, low] = cell.height > 0 ? [y(cell.y + cell.height), y(cell.y)] : [top, top + height];
    const box = { x: left, y: high, width: Math.max(0, right - left), height: Math.max(0, low - high) };
    if (![box.x, box.y, box.width, box.height].every(Number.isFinite)) return [];
    if (cell.text) this.#regions.push({ ...box, text: cell.text });
    if (cell.opacity === 0) return [];
    const made = svg("rect", { ...box, opacity: cell.opacity.toFixed(3), "shape-rendering": "crispEdges" });
    made.style.fill = cell.colour;
    return [made];
  }

  #note(note: FigureNote, x: (value: number) => number, y: (value: number) => number, plot: { left: number; top: number; width: number; height: number }): SVGElement[] {
    const made: SVGElement[] = [];
    const [isUpright, isAcross] = [note.y === undefined || Number.isNaN(note.y), Number.isNaN(note.x)];
    const at = isAcross ? plot.left : x(note.x);
    const beside = isUpright ? plot.top + plot.height - 6 : y(note.y!) - (isAcross ? 4 : -4);
    if (isUpright || isAcross) {
      const ends = isUpright ? { x1: at, x2: at, y1: plot.top, y2: plot.top + plot.height } : { x1: plot.left, x2: plot.left + plot.width, y1: y(note.y!), y2: y(note.y!) };
      const line = svg("line", { class: "note", ...ends });
      if (note.colour) line.style.stroke = note.colour;
      made.push(line);
    }
    if (note.text) {
      const isLate = at > plot.left + plot.width * 0.7;
      made.push(svg("text", { x: at + (isLate ? -5 : 5), y: beside, "text-anchor": isLate ? "end" : "start" }, note.text));
    }
    return made;
  }

  // A label that would touch the one before is left out, and one that would stand beyond an end is moved in.
  #bottomLabels(bottom: Scale, x: (value: number) => number, width: number, y: number): SVGElement[] {
    const made: SVGElement[] = [];
    let free = 0;
    for (const tick of [...bottom.ticks].sort((a, b) => a.value - b.value)) {
      const half = (tick.label.length * digitWidth) / 2;
      const at = Math.max(half, Math.min(width - half, x(tick.value)));
      if (at - half < free) continue;
      free = at + half + 6;
      made.push(svg("text", { x: at, y, "text-anchor": "middle" }, tick.label));
    }
    return made;
  }

  #marks(series: FigureSeries, x: (value: number) => number, y: (value: number) => number, barHeight: number): SVGElement[] {
    const made: SVGElement[] = [];
    const places = series.points.map((point): [number, number] => [x(point.x), y(point.y)]);
    const isLine = series.mark === "line" || series.mark === "dotted line";
    if (series.mark === "area") {
      const lower = series.points.map((point, i): [number, number] => [x(point.x), y(series.lower?.[i] ?? NaN)]).reverse();
      const area = svg("path", { d: `${pathOf([...places, ...lower])}Z`, stroke: "none" });
      area.style.fill = series.colour;
      if (series.opacity !== undefined) area.setAttribute("opacity", String(series.opacity));
      return [area];
    }
    if (isLine) {
      const line = svg("path", { d: pathOf(places), fill: "none", "stroke-width": series.size ?? 2, "stroke-linejoin": "round" });
      line.style.stroke = series.colour;
      if (series.dash) line.setAttribute("stroke-dasharray", series.dash);
      if (series.opacity !== undefined) line.setAttribute("opacity", String(series.opacity));
      made.push(line);
    }
    series.points.forEach((point, i) => {
      const [px, py] = places[i]!;
      if (!Number.isFinite(px) || !Number.isFinite(py)) return;
      if (point.text || point.open) this.#spots.push({ x: point.to === undefined ? px : (px + x(point.to)) / 2, y: py, point });
      if (series.mark === "line") return;
      const mark =
        series.mark === "bars"
          ? svg("rect", { x: px, y: py - barHeight / 2, width: Math.max(1.5, x(point.to ?? point.x) - px), height: barHeight, rx: 2 })
          : svg("circle", { cx: px, cy: py, r: series.mark === "dotted line" ? 3 : (series.size ?? 4) });
      if (series.mark === "rings") {
        mark.style.fill = "none";
        mark.style.stroke = series.colour;
        mark.setAttribute("stroke-width", "1.6");
      } else {
        mark.style.fill = series.colour;
      }
      const opacity = (series.opacity ?? 1) * (point.strength === undefined ? 1 : 0.2 + 0.8 * point.strength);
      if (opacity < 1) mark.setAttribute("opacity", opacity.toFixed(2));
      if (point.open) mark.classList.add("link");
      made.push(mark);
    });
    return made;
  }

  #spotAt(event: MouseEvent): Spot | undefined {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let nearest: Spot | undefined;
    let least = this.#data?.isCurve ? Infinity : reach;
    for (const spot of this.#spots) {
      const distance = this.#data?.isCurve ? Math.abs(spot.x - x) : Math.hypot(spot.x - x, spot.y - y);
      if (distance < least) [nearest, least] = [spot, distance];
    }
    return nearest;
  }

  // A cell that is pointed at, as a spot at the pointer.
  #regionAt(event: MouseEvent): Spot | undefined {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const found = this.#regions.findLast((each) => x >= each.x && x < each.x + each.width && y >= each.y && y < each.y + each.height);
    return found && { x, y, point: { x: NaN, y: NaN, text: found.text } };
  }

  #point(event: PointerEvent): void {
    const spot = this.#spotAt(event) ?? this.#regionAt(event);
    this.#tip.hidden = !spot?.point.text;
    if (!spot?.point.text) return;
    this.#tip.textContent = spot.point.text;
    const most = this.element.clientWidth - this.#tip.offsetWidth - 4;
    this.#tip.style.left = `${Math.max(4, Math.min(most, spot.x + 10))}px`;
    this.#tip.style.top = `${Math.max(0, spot.y - this.#tip.offsetHeight - 10)}px`;
  }
}
