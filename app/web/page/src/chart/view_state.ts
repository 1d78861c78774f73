// SPDX-License-Identifier: Apache-2.0
// How the charts of a page are looked at, all alike: the axis below them, the part of it that is shown, whether that goes
// along with a run that trains, smoothing, logarithms, and where the cross-hair is. All but the last is in the address.
import { setQuery } from "../base/route";
import { Signal } from "../base/signal";
import type { Axis } from "../base/types";

export interface Range {
  from: number;
  to: number;
}

export const axes: readonly Axis[] = ["time", "step", "progress"];

/** The logarithmic vertical axes: those that say more so, all, or none. */
export type LogChoice = "auto" | "log" | "linear";
const logChoices: readonly LogChoice[] = ["auto", "log", "linear"];

const leastShare = 1e-6; // of the whole, to which one can zoom in
export const usualSmoothing = 0.6;

export class ViewState {
  readonly changed = new Signal();
  readonly axisChanged = new Signal();
  readonly cursorMoved = new Signal();

  axis: Axis = "time";
  smoothing = usualSmoothing;
  log: LogChoice = "auto";
  hidden = new Set<string>(); // CHART/LINE that the legend has switched off
  whole: Range = { from: 0, to: 1 }; // all there is
  cursor: number | null = null;
  private zoom: Range | null = null;
  private isFollowing = true;

  constructor(query: URLSearchParams) {
    this.axis = axes.find((axis) => axis === query.get("x")) ?? this.axis;
    this.log = logChoices.find((choice) => choice === query.get("y")) ?? this.log;
    const smoothing = Number(query.get("smooth") ?? NaN);
    if (smoothing >= 0 && smoothing < 1) this.smoothing = smoothing;
    const from = Number(query.get("from") ?? NaN);
    const to = Number(query.get("to") ?? NaN);
    const last = Number(query.get("last") ?? NaN);
    if (to > from) this.zoom = { from, to };
    else if (last > 0) this.zoom = { from: -last, to: 0 };
    this.isFollowing = !(to > from);
  }

  /** The range that the charts show. One that follows keeps its width and goes to the newest. */
  get shown(): Range {
    if (this.zoom === null) return this.whole;
    if (!this.isFollowing) return this.zoom;
    const width = this.zoom.to - this.zoom.from;
    return { from: Math.max(this.whole.from, this.whole.to - width), to: this.whole.to };
  }

  get isZoomed(): boolean {
    return this.zoom !== null;
  }

  get follows(): boolean {
    return this.isFollowing;
  }

  setWhole(whole: Range): void {
    if (whole.from === this.whole.from && whole.to === this.whole.to) return;
    this.whole = whole;
    this.changed.emit();
  }

  /** Shows this part, or as much of it as there is; all of it is not a zoom. */
  show(range: Range): void {
    const { from, to } = this.whole;
    const all = to - from;
    const width = Math.min(all, Math.max(range.to - range.from, all * leastShare));
    const start = Math.min(Math.max(range.from, from), to - width);
    this.zoom = width >= all ? null : { from: start, to: start + width };
    this.isFollowing = this.zoom === null || (this.isFollowing && start + width >= to);
    this.write();
  }

  /** Closer (a factor below one) or away, with the value at `centre` where it was. */
  scale(factor: number, centre: number): void {
    const { from, to } = this.shown;
    this.show({ from: centre - (centre - from) * factor, to: centre + (to - centre) * factor });
  }

  /** Moves by a share of the shown range. */
  pan(share: number): void {
    const { from, to } = this.shown;
    const by = share * (to - from);
    this.show({ from: from + by, to: to + by });
  }

  reset(): void {
    this.zoom = null;
    this.isFollowing = true;
    this.write();
  }

  setFollow(isOn: boolean): void {
    if (isOn === this.isFollowing) return;
    this.zoom = isOn ? this.zoom : { ...this.shown };
    this.isFollowing = isOn;
    this.write();
  }

  setAxis(axis: Axis): void {
    if (axis === this.axis) return;
    this.axis = axis;
    this.zoom = null;
    this.isFollowing = true;
    this.cursor = null;
    this.write();
    this.axisChanged.emit();
  }

  setSmoothing(smoothing: number): void {
    this.smoothing = smoothing;
    this.write();
  }

  setLog(log: LogChoice): void {
    this.log = log;
    this.write();
  }

  nextLog(): void {
    this.setLog(logChoices[(logChoices.indexOf(this.log) + 1) % logChoices.length]!);
  }

  toggle(line: string): void {
    if (!this.hidden.delete(line)) this.hidden.add(line);
    this.changed.emit();
  }

  point(at: number | null): void {
    if (at === this.cursor) return;
    this.cursor = at;
    this.cursorMoved.emit();
  }

  private write(): void {
    const number = (value: number) => String(Number(value.toPrecision(7)));
    const { zoom } = this;
    const isPart = zoom !== null && !this.isFollowing;
    setQuery({
      x: this.axis === "time" ? null : this.axis,
      from: isPart ? number(zoom.from) : null,
      to: isPart ? number(zoom.to) : null,
      last: zoom !== null && this.isFollowing ? number(zoom.to - zoom.from) : null,
      smooth: this.smoothing === usualSmoothing ? null : String(this.smoothing),
      y: this.log === "auto" ? null : this.log,
    });
    this.changed.emit();
  }
}
