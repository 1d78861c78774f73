// SPDX-License-Identifier: Apache-2.0
// One chart: uPlot has its axes, scales, canvas and dragging, and the lines are painted here, because each has a piece a
// generation, a band between its lowest and highest, and neighbours with samples at other places.
import uPlot from "uplot";
import * as format from "../base/format";
import { button, h, setAttributes } from "../base/dom";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { colours, hasColourBlindPalette, themed, type Colours } from "../base/theme";
import type { Axis } from "../base/types";
import { axesOf } from "./axes";
import { type Mapping, mappingOf } from "./columns";
import { CrossHair } from "./cross_hair";
import { beforeNextFrame } from "./frame";
import { listenToGestures, pressKey } from "./gestures";
import { Legend } from "./legend";
import type { Band, ChartFrame, Line } from "./line";
import { type Box, type Ink, inkOf, paintBands, paintBetween, paintBound, paintLine, paintRestarts, paintText } from "./paint";
import { download, jsonOf, type Labelled, pictureOf, tableOf } from "./save";
import { Scene } from "./scene";
import { svgPictureOf } from "./svg_picture";
import type { AxisRange, ViewState } from "./view_state";

const axisWords: Record<Axis, string> = { time: say("time"), step: say("steps"), progress: say("iterations") };

export class Chart {
  readonly element: HTMLElement;
  frames = 0; // drawn so far
  private readonly host: HTMLElement;
  private readonly legend: Legend;
  private readonly endings = new Endings();
  private readonly scene: Scene;
  private readonly crossHair: CrossHair;
  private plot: uPlot | null = null;
  private plotEndings = new Endings();
  private isLog = false;
  private isLogX = false;
  private hasRight = false;
  private lines: readonly Line[] = [];
  private bands: readonly Band[] = [];
  private none = ""; // what is said where no line has a sample
  private palette: Colours = colours();
  private isSeen = true;
  private size = { width: 0, height: 0 };
  private described = -Infinity;
  private readonly draw = () => this.drawNow();
  private readonly followCursor = () => this.showCursor();

  constructor(readonly frame: ChartFrame, private readonly view: ViewState) {
    this.legend = new Legend(frame, (key) => view.toggle(`${frame.name}/${key}`));
    this.scene = new Scene(frame, view);
    this.crossHair = new CrossHair(this.legend);
    this.host = h("div.plot", { role: "img", tabindex: 0, "aria-label": frame.title });
    const save = h("span.save", {},
      button("PNG", () => this.savePicture(), { "aria-label": say("Save {} as a picture", frame.title), title: say("Save as a picture") }),
      button("SVG", () => this.saveVectors(), { "aria-label": say("Save {} as vectors", frame.title), title: say("Save as a picture of vectors") }),
      button("CSV", () => this.saveRows("csv", tableOf), { "aria-label": say("Save {} as a table", frame.title), title: say("Save what it draws as a table") }),
      button("JSON", () => this.saveRows("json", jsonOf), { "aria-label": say("Save {} as JSON", frame.title), title: say("Save what it draws as JSON") }));
    this.element = h("figure.chart", { "data-chart": frame.name }, this.legend.element, this.host, save);
    Object.assign(this.element, { chart: this });
    this.endings.on(this.host, "keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !pressKey(event.key, event.shiftKey, view, this.isAlwaysLog)) return;
      event.preventDefault();
    });
    const sizes = new ResizeObserver(() => {
      this.measure();
      this.update();
    });
    sizes.observe(this.host);
    // A chart that is not in sight is not drawn.
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
    // Paper has no next frame, and all charts are in sight of it.
    this.endings.on(window, "beforeprint", () => {
      const wasSeen = this.isSeen;
      this.isSeen = true;
      this.measure();
      this.drawNow();
      this.isSeen = wasSeen;
    });
  }

  /** `none`: what the chart says if no line has a sample. */
  setLines(lines: readonly Line[], bands: readonly Band[], none = ""): void {
    const said = this.emptyText;
    this.lines = lines;
    this.bands = bands;
    this.none = none;
    if (this.emptyText !== said) this.described = -Infinity;
    this.scene.forget();
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
    const { from, to } = this.shown;
    return [from, to];
  }

  // Samples are here for the part of the axis that is shown: without any, a part has none, which says nothing of the rest.
  private get emptyText(): string {
    const isEmpty = !this.view.isZoomed && this.lines.every((line) => line.pieces.every((piece) => piece.x0.length === 0));
    return isEmpty ? this.none : "";
  }

  private get isAlwaysLog(): boolean {
    return this.frame.isLogLog === true;
  }

  private get shown(): AxisRange {
    return this.view.axisRange(this.isAlwaysLog);
  }

  /** Returns the drawn data, by the lines' keys. */
  data(): Record<string, Line["pieces"]> {
    return Object.fromEntries(this.lines.map((line) => [line.key, line.pieces]));
  }

  private shownLines(): { line: Line; ink: Ink; isHidden: boolean }[] {
    const isColourBlind = hasColourBlindPalette();
    return this.lines.map((line, place) => (
      { line, ink: inkOf(line.look, place, this.palette, isColourBlind), isHidden: this.isHidden(line) }));
  }

  // "baseline-loss.csv": what the page is about, and the chart.
  private fileName(ending: string): string {
    return `${document.querySelector("h1")?.textContent ?? "batchscope"}-${this.frame.name}.${ending}`;
  }

  private saveRows(form: "csv" | "json", make: typeof tableOf): void {
    const lines = this.lines.filter((line) => !this.isHidden(line));
    const type = form === "csv" ? "text/csv" : "application/json";
    download(this.fileName(form), new Blob([make(this.frame, this.view.axis, lines)], { type }));
  }

  // The names of the lines above a picture; a single line needs none.
  private labels(): Labelled[] {
    const shown = this.lines.length > 1 ? this.shownLines().filter((each) => !each.isHidden) : [];
    return shown.map(({ line, ink }) => ({ label: line.look.label, colour: ink.colour }));
  }

  private saveVectors(): void {
    if (this.plot === null) return;
    const text = svgPictureOf(this.plot.ctx, this.frame, this.labels(), this.palette, this.draw);
    download(this.fileName("svg"), new Blob([text], { type: "image/svg+xml" }));
  }

  private savePicture(): void {
    if (this.plot === null) return;
    pictureOf(this.plot.ctx.canvas, this.frame, this.labels(), this.palette).toBlob((blob) => blob && download(this.fileName("png"), blob));
  }

  private isHidden(line: Line): boolean {
    return this.view.hidden.has(`${this.frame.name}/${line.key}`) !== (line.look.isOff ?? false);
  }

  // Sizes are known before a frame: asked for while it is drawn, they make the browser lay out what other charts have changed.
  private measure(): void {
    this.size = { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  private drawNow(): void {
    if (this.size.width === 0) this.measure();
    const { width, height } = this.size;
    if (!this.isSeen || width < 40 || height < 40) return;
    const hasRight = this.lines.some((line) => line.look.isRight && !this.isHidden(line));
    const shown = this.shown;
    if (this.plot !== null && (this.hasRight !== hasRight || this.isLogX !== shown.isLog)) this.renew();
    this.hasRight = hasRight;
    this.isLogX = shown.isLog;
    this.plot ??= this.make(width, height);
    if (this.plot.width !== width || this.plot.height !== height) this.plot.setSize({ width, height });

    const inked = this.shownLines();
    this.legend.setLines(inked.map(({ line, ink, isHidden }) => ({ key: line.key, look: line.look, ink, isHidden })));

    this.scene.read(inked.filter((each) => !each.isHidden), acrossOf(this.plot.bbox, shown), shown);
    const ranges = this.scene.ranges();
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
        x: { ...fixed, time: false, ...(this.isLogX ? { distr: 3 } : {}) },
        y: this.isLog ? { ...fixed, distr: 3 } : fixed,
        ...(this.hasRight ? { right: fixed } : {}),
      },
      series: [{}],
      axes: axesOf({
        axis: () => this.view.axis,
        isLogX: this.isLogX,
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
    }, [[1, 2]], this.host);
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
    this.crossHair.forget();
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
    const left = upwards(plot, "y", this.isLog);
    const right = this.hasRight ? upwards(plot, "right", false) : left;
    const sideOf = (line: Line) => (line.look.isRight ? right : left);
    for (const { line, ink, bands } of this.scene.drawn) paintBetween(context, bands, ink, sideOf(line));
    for (const { line, ink, strokes } of this.scene.drawn) paintLine(context, strokes, line.look, ink, sideOf(line), ratio);
    context.restore();
    paintRestarts(context, this.bands, x, box, this.palette, ratio);
    if (this.emptyText !== "") paintText(context, this.emptyText, box, this.palette, ratio);
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
    if (this.plot === null) return;
    const at = this.view.cursor;
    const { from, to } = this.shown;
    if (at === null || at < from || at > to) this.crossHair.hide(this.plot);
    else this.crossHair.show(this.plot, at, this.scene.drawn);
  }

  // Describes the chart to a person who does not see the canvas, at most once a second.
  private describe(): void {
    const now = performance.now();
    if (now - this.described < 1000) return;
    this.described = now;
    const { from, to } = this.shown;
    const place = (value: number) => (this.view.axis === "time" ? format.clock(value) : format.count(value));
    const newest = this.lines.filter((line) => !line.look.isBound && !this.isHidden(line)).map((line) => {
      const mean = line.pieces.at(-1)?.mean.at(-1);
      return `${line.look.label} ${format.number(mean)}`;
    });
    const generations = this.bands.length === 1 ? say("1 generation") : say("{} generations", this.bands.length);
    const axis = say("{}, {} {} to {}", this.frame.title, axisWords[this.view.axis], place(from), place(to));
    const what = this.emptyText === "" ? [axis, generations, ...newest] : [this.frame.title, this.emptyText];
    setAttributes(this.host, { "aria-label": what.join(", ") });
  }
}

const acrossOf = ({ left, width }: Box, { from, to, isLog }: AxisRange): Mapping => mappingOf(from, to, isLog, left, width);

// Returns a fast plot.valToPos, which itself looks everything up anew for each of thousands of values.
function upwards(plot: uPlot, scale: string, isLog: boolean): Mapping {
  const { min, max } = plot.scales[scale] as { min: number; max: number };
  const { top, height } = plot.bbox;
  return mappingOf(min, max, isLog, top + height, -height);
}
