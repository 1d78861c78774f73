// SPDX-License-Identifier: Apache-2.0
// The range of values of a vertical axis, by the window's rules (app/desktop/scene/value_range.h): charts stand on a
// base, so that heights compare, and where single peaks would make the rest flat they are cut.
import { roundInterval } from "../base/ticks";

export interface RangeOptions {
  base: number; // what the values stand on, where they are above it
  isLog: boolean;
  isRobust: boolean; // single peaks do not stretch it
  isZoomed: boolean; // on detail it need not stand on its base
  isFromLowest: boolean; // nor here
}

const few = 50; // values have no outliers
const decades = 10; // times the lowest value: a linear axis shows the rest as a flat line
const group = 7; // columns

function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  return below + 1 < sorted.length ? low + (place - below) * (sorted[below + 1]! - low) : low;
}

export class ValueRange {
  private readonly values: number[] = [];
  private readonly medians: number[] = [];
  private readonly near: number[] = [];

  /** A bucket. Of a few beside one another the middle one says what is usual there. */
  add(low: number, high: number, mean: number): void {
    if (!Number.isFinite(mean)) return;
    this.values.push(low);
    if (high !== low) this.values.push(high);
    this.near.push(mean);
    if (this.near.length < group) return;
    this.medians.push(this.near.sort((a, b) => a - b)[group >> 1]!);
    this.near.length = 0;
  }

  addBound(value: number): void {
    this.values.push(value);
  }

  get isEmpty(): boolean {
    return this.values.length === 0;
  }

  /** Whether a logarithmic axis shows more than a linear one. */
  spansDecades(): boolean {
    const typical = this.medians.length > 0 ? this.medians : this.values;
    if (typical.length < 2) return false;
    const [low, high] = extremes(typical);
    const lowest = extremes(this.values)[0];
    return lowest > 0 && high >= decades * low;
  }

  range(options: RangeOptions): [number, number] {
    const kept = (list: number[]) => (options.isLog ? list.filter((value) => value > 0) : list);
    const values = kept(this.values);
    if (values.length === 0) return options.isLog ? [1, 10] : [options.base, options.base + 1];
    let [low, high] = options.isRobust && values.length >= few ? usual(values) : extremes(values);
    for (const median of kept(this.medians)) {
      low = Math.min(low, median);
      high = Math.max(high, median);
    }
    return options.isLog ? logRange(low, high) : linearRange(low, high, options);
  }
}

function usual(values: number[]): [number, number] {
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, 0.05), quantile(sorted, 0.95)];
}

function extremes(values: number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

function logRange(low: number, high: number): [number, number] {
  const from = 2 ** Math.floor(Math.log2(low) + 1e-9);
  const to = 2 ** Math.ceil(Math.log2(high) - 1e-9);
  return to > from ? [from, to] : [from, 2 * from];
}

function linearRange(lowest: number, highest: number, options: RangeOptions): [number, number] {
  const base = options.base;
  const isCrowded = highest > lowest && lowest > base + 0.7 * (highest - base); // far above it, and not all the same
  const isDetail = options.isFromLowest || (options.isZoomed && isCrowded);
  const low = lowest >= 0 && !isDetail ? base : lowest;
  const high = highest > low ? highest : low + (low !== 0 ? Math.abs(low) * 0.1 : 1);
  const step = roundInterval(low, high, 4);
  const top = Math.ceil((high + 0.02 * (high - low)) / step) * step;
  // A base that is not a round number has its line a little above the edge.
  if (low === base && base !== 0) return [base - 0.06 * (top - base), top];
  return [Math.floor(low / step) * step, top];
}
