// SPDX-License-Identifier: Apache-2.0
// The columns of pixels that a line passes, with its values there: of more buckets than columns only their lowest,
// highest and mean are seen, and a line of two thousand buckets is drawn by a few hundred points.
import type { Packed } from "./packed";
import { firstFrom } from "./piece";

/** Maps values of an axis to pixels: linear, or by their logarithms. */
export interface Mapping {
  at: number; // where the axis begins, in pixels
  from: number; // the value there, or its logarithm
  scale: number; // pixels for each 1
  isLog: boolean;
}

/** Returns the mapping of an axis from `low` to `high`, which begins at a pixel and is so many of them long. */
export function mappingOf(low: number, high: number, isLog: boolean, at: number, length: number): Mapping {
  const [from, to] = isLog ? [Math.log(low), Math.log(high)] : [low, high];
  return { at, from, scale: length / (to - from), isLog };
}

/** Returns the place of a value in pixels; not a finite number where there is none. */
export function pixelOf({ at, from, scale, isLog }: Mapping, value: number): number {
  return at + ((isLog ? Math.log(value) : value) - from) * scale;
}

const leastHole = 12; // pixels, or usual distances where a logarithmic axis spreads the first steps wide
const usualDistances = 4; // more than so many make a hole

export class Columns {
  size = 0;
  isFlat = true; // no column has a lowest and a highest apart
  x = new Float64Array(256);
  low = new Float64Array(256);
  high = new Float64Array(256);
  mean = new Float64Array(256);
  count = new Float64Array(256);
  isAfterHole = new Uint8Array(256);
  private first = new Float64Array(256); // on the axis
  private last = new Float64Array(256);

  /**
   * Reads the buckets of the piece from x = `from` to `to`, with one beyond each end, so that the line leaves the plot.
   * They are so many pixels wide; with 0 every bucket is a column, and a wide distance between them is not a hole.
   */
  read(packed: Packed, across: Mapping, from: number, to: number, width: number): void {
    this.size = 0;
    this.isFlat = true;
    const { x0, x1, x, low, high, mean, count } = packed;
    const end = Math.min(packed.size, firstFrom(x1, packed.size, to) + 2);
    let edge = -Infinity; // up to which a bucket is of the present column
    let [lowest, highest, sum, weight, newest] = [0, 0, 0, 0, 0];
    for (let i = Math.max(0, firstFrom(x1, packed.size, from) - 1); i < end; ++i) {
      const px = pixelOf(across, x[i]!);
      const here = mean[i]!;
      if (px < edge && here === here) {
        sum += here * count[i]!;
        weight += count[i]!;
        if (low[i]! < lowest) lowest = low[i]!;
        if (high[i]! > highest) highest = high[i]!;
        newest = i;
        continue;
      }
      if (!Number.isFinite(px)) continue;
      if (this.size > 0) this.close(lowest, highest, sum, weight, x1[newest]!);
      this.open(px, x0[i]!);
      edge = width > 0 && here === here ? (Math.floor(px / width) + 1) * width : -Infinity;
      [lowest, highest, sum, weight, newest] = [low[i]!, high[i]!, here * count[i]!, count[i]!, i];
    }
    if (this.size > 0) this.close(lowest, highest, sum, weight, x1[newest]!);
    if (width === 0 || this.size < 3) return;
    if (across.isLog) this.markLogHoles();
    else this.markHoles();
  }

  private open(x: number, first: number): void {
    if (this.size === this.x.length) this.grow();
    this.x[this.size] = x;
    this.first[this.size] = first;
    this.isAfterHole[this.size] = 0;
    ++this.size;
  }

  private close(low: number, high: number, sum: number, count: number, last: number): void {
    const column = this.size - 1;
    this.low[column] = low;
    this.high[column] = high;
    this.mean[column] = sum / count;
    this.count[column] = count;
    this.last[column] = last;
    if (high > low) this.isFlat = false;
  }

  private grow(): void {
    const larger = (old: Float64Array) => {
      const made = new Float64Array(2 * old.length);
      made.set(old);
      return made;
    };
    this.x = larger(this.x);
    this.low = larger(this.low);
    this.high = larger(this.high);
    this.mean = larger(this.mean);
    this.count = larger(this.count);
    this.first = larger(this.first);
    this.last = larger(this.last);
    this.isAfterHole = new Uint8Array(2 * this.isAfterHole.length);
  }

  // A stretch without samples that is far longer than usual is not bridged by a line.
  private markHoles(): void {
    let dense = 0;
    for (let i = 1; i < this.size; ++i) if (this.x[i]! - this.x[i - 1]! <= leastHole / usualDistances) ++dense;
    // Most lines need no more: they have a sample in nearly every column.
    const most = 2 * dense > this.size ? leastHole : Math.max(leastHole, usualDistances * this.usual((i) => this.x[i]! - this.x[i - 1]!));
    for (let i = 1; i < this.size; ++i) this.isAfterHole[i] = this.x[i]! - this.x[i - 1]! > most ? 1 : 0;
  }

  private markLogHoles(): void {
    const distance = (i: number) => this.first[i]! - this.last[i - 1]!;
    const most = leastHole * this.usual(distance);
    for (let i = 1; i < this.size; ++i) this.isAfterHole[i] = this.x[i]! - this.x[i - 1]! > leastHole && distance(i) > most ? 1 : 0;
  }

  private usual(distance: (column: number) => number): number {
    const distances = new Float64Array(this.size - 1);
    for (let i = 1; i < this.size; ++i) distances[i - 1] = distance(i);
    return distances.sort()[distances.length >> 1]!;
  }
}
