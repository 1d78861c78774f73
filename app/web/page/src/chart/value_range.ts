// SPDX-License-Identifier: Apache-2.0
// The range of values of a vertical axis, by the window's rules (app/desktop/scene/value_range.h): charts stand on a
// base, so that heights compare, and where single peaks would make the rest flat they are cut.
import { roundInterval } from "../base/ticks";

export interface RangeOptions {
  base: number; // what the values stand on, where they are above it
  isLog: boolean;
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

// The lowest and the highest of numbers, and the lowest of those above 0, which alone have a logarithm.
class Extremes {
  size = 0;
  low = Infinity;
  high = -Infinity;
  lowAboveZero = Infinity;

  add(value: number): void {
    ++this.size;
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
    if (value > 0 && value < this.lowAboveZero) this.lowAboveZero = value;
  }
}

export class ValueRange {
  private readonly all = new Extremes();
  private readonly medians = new Extremes();
  private readonly values: number[] = []; // only where single peaks are to be told from the rest
  private readonly near = new Float64Array(group); // in their order
  private together = 0; // of them

  /** `isRobust`: single peaks do not stretch it. */
  constructor(private readonly isRobust = false) {}

  /** A bucket. Of a few beside one another the middle one says what is usual there. */
  add(low: number, high: number, mean: number): void {
    if (!Number.isFinite(mean)) return;
    this.addValue(low);
    if (high !== low) this.addValue(high);
    let place = this.together++;
    for (; place > 0 && this.near[place - 1]! > mean; --place) this.near[place] = this.near[place - 1]!;
    this.near[place] = mean;
    if (this.together < group) return;
    this.medians.add(this.near[group >> 1]!);
    this.together = 0;
  }

  private addValue(value: number): void {
    this.all.add(value);
    if (this.isRobust) this.values.push(value);
  }

  /** A value that is to be seen whatever the samples are. */
  addBound(value: number): void {
    this.medians.add(value);
  }

  /** Whether a logarithmic axis shows more than a linear one. */
  spansDecades(): boolean {
    const typical = this.medians.size > 0 ? this.medians : this.all;
    return typical.size >= 2 && this.all.low > 0 && typical.high >= decades * typical.low;
  }

  range(options: RangeOptions): [number, number] {
    const { isLog, base } = options;
    const lowest = (of: Extremes) => (isLog ? of.lowAboveZero : of.low);
    if (!(lowest(this.all) <= this.all.high)) return isLog ? [1, 10] : [base, base + 1];
    const values = isLog ? this.values.filter((value) => value > 0) : this.values;
    let [low, high] = values.length >= few ? usual(values) : [lowest(this.all), this.all.high];
    low = Math.min(low, lowest(this.medians));
    if (!isLog || this.medians.high > 0) high = Math.max(high, this.medians.high);
    return isLog ? logRange(low, high) : linearRange(low, high, options);
  }
}

function usual(values: number[]): [number, number] {
  const sorted = Float64Array.from(values).sort();
  return [quantile(sorted, 0.05), quantile(sorted, 0.95)];
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
