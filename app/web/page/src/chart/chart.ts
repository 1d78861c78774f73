// SPDX-License-Identifier: Apache-2.0
// One chart: uPlot has its axes, scales, canvas and dragging, and the lines are painted here, because each has a piece a
// generation, a band between its lowest and highest, and neighbours with samples at other places.
import uPlot from "uplot";
import * as format from "../base/format";
import { h, setAttributes } from "../base/dom";
import { Endings } from "../base/signal";
import { colours, hasColourBlindPalette, themed, type Colours } from "../base/theme";
import type { Axis } from "../base/types";
import { axesOf } from "./axes";
import { Columns, type Projection } from "./columns";
import { beforeNextFrame } from "./frame";
import { listenToGestures, pressKey } from "./gestures";
import { Legend } from "./legend";
import type { Band, ChartFrame, Line, LineLook } from "./line";
import { type Box, inkOf, type Ink, paintBands, paintBound, paintRestarts, paintStroke, type Stroke } from "./paint";
import { nearest } from "./piece";
import { smoothed } from "./smooth";
import { ValueRange } from "./value_range";
import type { Range, ViewState } from "./view_state";

interface Drawn {
  line: Line;
  ink: Ink;
  strokes: Stroke[];
}

const axisWords: Record<Axis, string> = { time: "time", step: "steps", progress: "iterations" };

export class Chart {
  readonly element: HTMLElement;
  frames = 0; // drawn so far
  private readonly host: HTMLElement;
  private readonly legend: Legend;
  private readonly endings = new Endings();
  private readonly rings = new Map<string, HTMLElement>();
  private plot: uPlot | null = null;
  private plotEndings = new Endings();
  private isLog = false;
  private hasRight = false;
  private lines: readonly Line[] = [];
  private bands: readonly Band[] = [];
  private drawn: Drawn[] = [];
  private pool: Columns[] = [];
  private palette: Colours = colours();
  private isSeen = true;
  private isPointed = false; // the cross-hair is in it
  private described = 0;
  private readonly draw = () => this.drawNow();
  private readonly followCursor = () => this.showCursor();

  constructor(readonly frame: ChartFrame, private readonly view: ViewState) {
    this.legend = new Legend(frame, (key) => view.toggle(`${frame.name}/${key}`));
    this.host = h("div.plot", { role: "img", tabindex: 0, "aria-label": frame.title });
    this.element = h("figure.chart", { "data-chart": frame.name }, this.legend.element, this.host);
    Object.assign(this.element, { chart: this });
    this.endings.on(this.host, "keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !pressKey(event.key, event.shiftKey, view)) return;
      event.preventDefault();
    });
    const sizes = new ResizeObserver(() => this.update());
    sizes.observe(this.host);
    // What is not in sight is not drawn.
    const sight = new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1)!.isIntersecting;
      if (this.isSeen) this.update();
    }, { rootMargin: "200px" });
    sight.observe(this.element);
    this.endings.add(
      () => sizes.disconnect(),
      () => sight.disconnect(),
      view.changed.listen(() => this.update()),
      view.cursorMoved.listen(() => beforeNextFrame(this.followCursor)),
      themed.listen(() => {
        this.palette = colours();
        this.update();
      }),
    );
  }

  setLines(lines: readonly Line[], bands: readonly Band[]): void {
    this.lines = lines;
    this.bands = bands;
    this.update();
  }

  update(): void {
    if (this.isSeen) beforeNextFrame(this.draw);
  }

  end(): void {
    this.endings.end();
    this.plotEndings.end();
    this.plot?.destroy();
    this.plot = null;
  }

  /** The part of the axis that is drawn. */
  range(): [number, number] {
    const { from, to } = this.view.shown;
    return [from, to];
  }

  /** What is drawn, by the lines' keys. */
  data(): Record<string, Line["pieces"]> {
    return Object.fromEntries(this.lines.map((line) => [line.key, line.pieces]));
  }

  private isHidden(line: Line): boolean {
    return this.view.hidden.has(`${this.frame.name}/${line.key}`) !== (line.look.isOff ?? false);
  }

  private drawNow(): void {
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    if (!this.isSeen || width < 40 || height < 40) return;
    const lines = this.lines.filter((line) => !this.isHidden(line));
    const hasRight = lines.some((line) => line.look.isRight);
    if (this.plot !== null && this.hasRight !== hasRight) this.renew();
    this.hasRight = hasRight;
    this.plot ??= this.make(width, height);
    if (this.plot.width !== width || this.plot.height !== height) this.plot.setSize({ width, height });

    const isColourBlind = hasColourBlindPalette();
    const inked = this.lines.map((line, place) => (
      { line, ink: inkOf(line.look, place, this.palette, isColourBlind), isHidden: this.isHidden(line) }));
    this.legend.setLines(inked.map(({ line, ink, isHidden }) => ({ key: line.key, look: line.look, ink, isHidden })));

    const shown = this.view.shown;
    this.read(inked.filter((each) => !each.isHidden).map(({ line, ink }) => ({ line, ink, strokes: [] })), shown);
    const ranges = this.ranges(shown);
    if (ranges.isLog !== this.isLog) {
      this.isLog = ranges.isLog;
      this.renew();
      this.plot = this.make(width, height);
    }
    const plot = this.plot;
    plot.batch(() => {
      plot.setScale("x", { min: shown.from, max: shown.to });
      plot.setScale("y", { min: ranges.left[0], max: ranges.left[1] });
      if (hasRight) plot.setScale("right", { min: ranges.right[0], max: ranges.right[1] });
    });
    ++this.frames;
    this.showCursor();
    this.describe();
  }

  private make(width: number, height: number): uPlot {
    const fixed: uPlot.Scale = { auto: false, range: (_plot, low, high) => [low, high] };
    const plot: uPlot = new uPlot({
      width,
      height,
      padding: [6, this.hasRight ? 0 : 20, 0, 0],
      legend: { show: false },
      scales: {
        x: { ...fixed, time: false },
        y: this.isLog ? { ...fixed, distr: 3 } : fixed,
        ...(this.hasRight ? { right: fixed } : {}),
      },
      series: [{}],
      axes: axesOf({
        axis: () => this.view.axis,
        isLog: this.isLog,
        base: this.frame.base ?? 0,
        hasRight: this.hasRight,
        colours: () => this.palette,
      }),
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => (this.view.reset(), null) },
      },
      hooks: {
        drawClear: [(u) => paintBands(u.ctx, this.bands, (x) => u.valToPos(x, "x", true), u.bbox, this.palette)],
        draw: [(u) => this.paint(u)],
        setCursor: [(u) => this.point(u)],
        setSelect: [(u) => this.select(u)],
      },
    }, [[0, 1]], this.host);
    // Once drawn it knows how much room its axes leave.
    plot.batch(() => {
      for (const scale of ["x", "y", ...(this.hasRight ? ["right"] : [])]) plot.setScale(scale, { min: 1, max: 10 });
    });
    this.plotEndings = listenToGestures(plot, this.view);
    return plot;
  }

  // Whether an axis is logarithmic or there at all is said to uPlot once.
  private renew(): void {
    this.plotEndings.end();
    this.plot?.destroy();
    this.plot = null;
    this.rings.clear();
  }

  private projection(box: Box, shown: Range, y: (value: number) => number): Projection {
    const scale = box.width / (shown.to - shown.from);
    return { x: (value) => box.left + (value - shown.from) * scale, y };
  }

  private read(drawn: Drawn[], shown: Range): void {
    const projection = this.projection(this.plot!.bbox, shown, (value) => value);
    let used = 0;
    for (const each of drawn) {
      const { look, pieces } = each.line;
      const strength = look.isSmoothed ? this.view.smoothing : 0;
      for (const piece of pieces) {
        const columns = (this.pool[used] ??= new Columns());
        columns.read(piece, projection, shown.from, shown.to, columnWidth(look));
        if (columns.size === 0) continue;
        ++used;
        each.strokes.push({
          columns,
          values: smoothed(columns, strength, devicePixelRatio),
          isGhosted: strength > 0 && columns.isFlat,
        });
      }
    }
    this.pool.length = used;
    this.drawn = drawn;
  }

  private ranges(shown: Range): { left: [number, number]; right: [number, number]; isLog: boolean } {
    const left = new ValueRange();
    const right = new ValueRange();
    for (const { line, strokes } of this.drawn) {
      const range = line.look.isRight ? right : left;
      for (const { columns } of strokes) {
        for (let i = 0; i < columns.size; ++i) range.add(columns.low[i]!, columns.high[i]!, columns.mean[i]!);
      }
    }
    const { frame, view } = this;
    const wantsLog = frame.isLogByDefault === true && left.spansDecades();
    if (frame.bound !== undefined) left.addBound(frame.bound);
    const isFromLowest = (isRight: boolean) => this.drawn.every(({ line: { look } }) =>
      (look.isRight ?? false) !== isRight || look.isBound === true || look.isFromLowest === true);
    const isLog = view.log === "log" || (view.log === "auto" && wantsLog);
    const isZoomed = shown.from > view.whole.from || shown.to < view.whole.to;
    const usual = { base: 0, isLog: false, isRobust: false, isZoomed: false, isFromLowest: isFromLowest(true) };
    const rightRange = right.range(usual);
    if (frame.rightTop !== undefined) {
      // A line along the fixed end is seen whole.
      const foot = isFromLowest(true) ? rightRange[0] : 0;
      rightRange.splice(0, 2, foot, frame.rightTop + 0.04 * (frame.rightTop - foot));
    } else {
      rightRange[1] = Math.max(rightRange[1], 4);
    }
    return {
      left: left.range({
        base: frame.base ?? 0,
        isLog,
        isRobust: frame.isRobust === true,
        isZoomed,
        isFromLowest: isFromLowest(false) && this.drawn.length > 0,
      }),
      right: rightRange,
      isLog,
    };
  }

  private paint(plot: uPlot): void {
    const context = plot.ctx;
    const box = plot.bbox;
    const ratio = devicePixelRatio;
    const x = (value: number) => plot.valToPos(value, "x", true);
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    if (this.frame.bound !== undefined) {
      const y = Math.round(plot.valToPos(this.frame.bound, "y", true)) + 0.5;
      if (Number.isFinite(y)) paintBound(context, y, box, this.palette, ratio);
    }
    const projections = { left: this.projection(box, this.view.shown, verticalOf(plot, "y", this.isLog)),
      right: this.hasRight ? this.projection(box, this.view.shown, verticalOf(plot, "right", false)) : null };
    for (const { line, ink, strokes } of this.drawn) {
      const projection = line.look.isRight ? projections.right : projections.left;
      for (const stroke of strokes) if (projection) paintStroke(context, stroke, line.look, ink, projection, ratio);
    }
    context.restore();
    paintRestarts(context, this.bands, x, box, this.palette, ratio);
  }

  // The mouse over this chart moves the cross-hair of all.
  private point(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    if (left < 0) {
      if (this.host.matches(":hover")) return;
      this.view.point(null);
    } else {
      this.view.point(plot.posToVal(left, "x"));
    }
  }

  private select(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    this.view.show({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private showCursor(): void {
    const plot = this.plot;
    if (plot === null) return;
    const at = this.view.cursor;
    const { from, to } = this.view.shown;
    if (at === null || at < from || at > to) {
      if (!this.isPointed) return;
      this.isPointed = false;
      plot.setCursor({ left: -10, top: -10 }, false);
      for (const ring of this.rings.values()) ring.hidden = true;
      this.legend.setValues(null);
      return;
    }
    this.isPointed = true;
    const left = plot.valToPos(at, "x");
    plot.setCursor({ left, top: 0 }, false);
    const values = new Map<string, string>();
    for (const { line, ink, strokes } of this.drawn) {
      const found = nearest(line.pieces, at, line.look.isStepped);
      values.set(line.key, format.number(found ? found.piece.mean[found.index]! : NaN));
      const scale = line.look.isRight ? "right" : "y";
      const place = pointOn(strokes, plot.valToPos(at, "x", true));
      this.showRing(line, ink, place === null ? NaN : plot.valToPos(place.value, scale),
        line.look.isSparse && place !== null ? (place.x - plot.bbox.left) / devicePixelRatio : left);
    }
    this.legend.setValues(values);
  }

  private showRing(line: Line, ink: Ink, top: number, left: number): void {
    let ring = this.rings.get(line.key);
    if (ring === undefined) {
      ring = h("div.ring", { hidden: true });
      this.rings.set(line.key, ring);
      this.plot!.over.append(ring);
    }
    const height = this.plot!.bbox.height / devicePixelRatio;
    ring.hidden = !(top >= 0 && top <= height) || line.look.isBound === true;
    ring.style.transform = `translate(${left}px, ${top}px)`;
    ring.style.borderColor = ink.colour;
  }

  // What a person who does not see the canvas is told, at most once a second.
  private describe(): void {
    const now = performance.now();
    if (now - this.described < 1000) return;
    this.described = now;
    const { from, to } = this.view.shown;
    const place = (value: number) => (this.view.axis === "time" ? format.clock(value) : format.count(value));
    const newest = this.lines.filter((line) => !line.look.isBound && !this.isHidden(line)).map((line) => {
      const mean = line.pieces.at(-1)?.mean.at(-1);
      return `${line.look.label} ${format.number(mean)}`;
    });
    const generations = this.bands.length === 1 ? "1 generation" : `${this.bands.length} generations`;
    const what = [`${this.frame.title}, ${axisWords[this.view.axis]} ${place(from)} to ${place(to)}`, generations, ...newest];
    setAttributes(this.host, { "aria-label": what.join(", ") });
  }
}

// Where a line is drawn nearest to a place, in pixels of the canvas.
function pointOn(strokes: readonly Stroke[], px: number): { x: number; value: number } | null {
  let best: { x: number; value: number } | null = null;
  for (const { columns, values } of strokes) {
    for (let i = 0; i < columns.size; ++i) {
      const x = columns.x[i]!;
      if (best === null || Math.abs(x - px) <= Math.abs(best.x - px)) best = { x, value: values[i]! };
    }
  }
  return best;
}

// Two pixels show as much of a line as one, in half the time. Of what is measured once in a while every value is drawn.
function columnWidth(look: LineLook): number {
  return look.isSparse ? 0 : 2;
}

// As plot.valToPos, which looks everything up anew for each of thousands of values.
function verticalOf(plot: uPlot, scale: string, isLog: boolean): (value: number) => number {
  const { min, max } = plot.scales[scale] as { min: number; max: number };
  const { top, height } = plot.bbox;
  if (!isLog) return (value) => top + height * (1 - (value - min) / (max - min));
  const low = Math.log(min);
  const span = Math.log(max) - low;
  return (value) => (value > 0 ? top + height * (1 - (Math.log(value) - low) / span) : NaN);
}
