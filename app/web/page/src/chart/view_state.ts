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

/** A part of the axis as a chart draws it; on a logarithmic axis it begins above 0. */
export interface AxisRange extends Range {
  isLog: boolean;
}

export const axes: readonly Axis[] = ["time", "step", "progress"];

/** The logarithmic vertical axes: those that say more so, all, or none. */
export type LogChoice = "auto" | "log" | "linear";
const logChoices: readonly LogChoice[] = ["auto", "log", "linear"];

const leastShare = 1e-6; // of the whole, to which one can zoom in
const slack = 1e-9; // of the whole, by which the end of a zoom may miss the newest
export const usualSmoothing = 0.6;

// Places on a linear or a logarithmic axis, between which distances are equal where they look equal.
const placeOf = (value: number, isLog: boolean) => (isLog ? Math.log(value) : value);
const valueOf = (place: number, isLog: boolean) => (isLog ? Math.exp(place) : place);

export class ViewState {
  readonly changed = new Signal();
  readonly axisChanged = new Signal();
  readonly cursorMoved = new Signal();

  axis: Axis = "time";
  smoothing = usualSmoothing;
  log: LogChoice = "auto";
  logX = false;
  hidden = new Set<string>(); // CHART/LINE that the legend has switched off
  whole: Range = { from: 0, to: 1 }; // all there is
  aboveZero = Infinity; // its first place above 0
  cursor: number | null = null;
  private zoom: Range | null = null;
  private isFollowing = true;

  /** `isInAddress`: whether the address keeps what a person chooses. */
  constructor(query: URLSearchParams, private readonly isInAddress = true) {
    this.axis = axes.find((axis) => axis === query.get("x")) ?? this.axis;
    this.log = logChoices.find((choice) => choice === query.get("y")) ?? this.log;
    this.logX = query.get("logx") === "1";
    const smoothing = Number(query.get("smooth") ?? NaN);
    if (smoothing >= 0 && smoothing < 1) this.smoothing = smoothing;
    const from = Number(query.get("from") ?? NaN);
    const to = Number(query.get("to") ?? NaN);
    const last = Number(query.get("last") ?? NaN);
    const times = Number(query.get("times") ?? NaN);
    if (to > from) this.zoom = { from, to };
    else if (this.logX && times > 1) this.zoom = { from: 1, to: times };
    else if (last > 0) this.zoom = { from: -last, to: 0 };
    this.isFollowing = !(to > from);
  }

  /** The range that the charts show. One that follows goes to the newest, and is as wide as before on the axis as it is drawn. */
  get shown(): Range {
    if (this.zoom === null) return this.whole;
    if (!this.isFollowing) return this.zoom;
    const { from, to } = this.zoom;
    const start = this.goesByRatio ? (this.whole.to * from) / to : this.whole.to - (to - from);
    return { from: Math.max(this.whole.from, start), to: this.whole.to };
  }

  // Whether a zoom that follows keeps the ratio of its ends.
  private get goesByRatio(): boolean {
    return this.logX && this.zoom !== null && this.zoom.from > 0;
  }

  /** The shown range on the axis as it is drawn. `isAlwaysLog`: for a chart whose axis is never linear. */
  axisRange(isAlwaysLog = false): AxisRange {
    return this.onAxis(this.shown, this.logX || isAlwaysLog);
  }

  /** Returns the value that lies a share of the shown range beyond this one, as the axis is drawn. */
  shifted(value: number, share: number, isAlwaysLog = false): number {
    const { from, to, isLog } = this.axisRange(isAlwaysLog);
    return valueOf(placeOf(value, isLog) + share * (placeOf(to, isLog) - placeOf(from, isLog)), isLog);
  }

  private onAxis(range: Range, wantsLog: boolean): AxisRange {
    const from = range.from > 0 ? range.from : this.aboveZero;
    return wantsLog && from < range.to ? { from, to: range.to, isLog: true } : { ...range, isLog: false };
  }

  get isZoomed(): boolean {
    return this.zoom !== null;
  }

  get follows(): boolean {
    return this.isFollowing;
  }

  setWhole(whole: Range, aboveZero = Infinity): void {
    if (whole.from === this.whole.from && whole.to === this.whole.to && aboveZero === this.aboveZero) return;
    this.whole = whole;
    this.aboveZero = aboveZero;
    this.changed.emit();
  }

  /** Shows this part, or as much of it as there is; all of it is not a zoom. */
  show(range: Range): void {
    const whole = this.onAxis(this.whole, this.logX);
    const { isLog } = whole;
    const [from, to] = [placeOf(whole.from, isLog), placeOf(whole.to, isLog)];
    const all = to - from;
    const low = isLog && !(range.from > 0) ? from : placeOf(range.from, isLog);
    const width = Math.min(all, Math.max(placeOf(range.to, isLog) - low, all * leastShare));
    const start = Math.min(Math.max(low, from), to - width);
    this.zoom = width >= all ? null : { from: valueOf(start, isLog), to: valueOf(start + width, isLog) };
    this.isFollowing = this.zoom === null || (this.isFollowing && start + width >= to - slack * all);
    this.write();
  }

  /** Closer (a factor below one) or away, with the value at `centre` where it was. */
  scale(factor: number, centre: number): void {
    const { from, to, isLog } = this.axisRange();
    const middle = placeOf(centre, isLog);
    const moved = (value: number) => valueOf(middle + (placeOf(value, isLog) - middle) * factor, isLog);
    this.show({ from: moved(from), to: moved(to) });
  }

  /** Moves by a share of the shown range. */
  pan(share: number): void {
    const { from, to } = this.axisRange();
    this.show({ from: this.shifted(from, share), to: this.shifted(to, share) });
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

  setLogX(logX: boolean): void {
    if (this.zoom !== null) this.zoom = { ...this.shown };
    this.logX = logX;
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
    const isLast = zoom !== null && this.isFollowing;
    if (this.isInAddress) setQuery({
      x: this.axis === "time" ? null : this.axis,
      logx: this.logX ? "1" : null,
      from: isPart ? number(zoom.from) : null,
      to: isPart ? number(zoom.to) : null,
      last: isLast && !this.goesByRatio ? number(zoom.to - zoom.from) : null,
      times: isLast && this.goesByRatio ? number(zoom.to / zoom.from) : null,
      smooth: this.smoothing === usualSmoothing ? null : String(this.smoothing),
      y: this.log === "auto" ? null : this.log,
    });
    this.changed.emit();
  }
}
