// SPDX-License-Identifier: Apache-2.0
// The columns of pixels that a line passes, with its values there: of more buckets than columns only their lowest,
// highest and mean are seen, and a line of two thousand buckets is drawn by a few hundred points.
import type { Piece } from "./piece";
import { bucketAt } from "./piece";

/** Maps x and y to pixels: linear, or by the logarithm. */
export interface Projection {
  x(value: number): number;
  y(value: number): number;
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
  read(piece: Piece, projection: Projection, from: number, to: number, width: number, isLog = false): void {
    this.size = 0;
    this.isFlat = true;
    const first = Math.max(0, bucketAt(piece, from) - 1);
    const end = Math.min(piece.x0.length, bucketAt(piece, to) + 2);
    let column = -Infinity;
    for (let i = first; i < end; ++i) {
      const mean = piece.mean[i]!;
      const px = projection.x((piece.x0[i]! + piece.x1[i]!) / 2);
      if (!Number.isFinite(px)) continue;
      const at = width > 0 ? Math.floor(px / width) : i;
      if (at === column && width > 0 && mean === mean && this.mean[this.size - 1] === this.mean[this.size - 1]) {
        const last = this.size - 1;
        const count = this.count[last]! + piece.count[i]!;
        this.mean[last]! += ((mean - this.mean[last]!) * piece.count[i]!) / count;
        this.count[last] = count;
        if (piece.min[i]! < this.low[last]!) this.low[last] = piece.min[i]!;
        if (piece.max[i]! > this.high[last]!) this.high[last] = piece.max[i]!;
        if (this.high[last]! > this.low[last]!) this.isFlat = false;
        this.last[last] = piece.x1[i]!;
        continue;
      }
      column = at;
      this.push(px, piece.min[i]!, piece.max[i]!, mean, piece.count[i]!);
      this.first[this.size - 1] = piece.x0[i]!;
      this.last[this.size - 1] = piece.x1[i]!;
    }
    if (width === 0 || this.size < 3) return;
    if (isLog) this.markLogHoles();
    else this.markHoles();
  }

  private push(x: number, low: number, high: number, mean: number, count: number): void {
    if (this.size === this.x.length) this.grow();
    if (high > low) this.isFlat = false;
    this.x[this.size] = x;
    this.low[this.size] = low;
    this.high[this.size] = high;
    this.mean[this.size] = mean;
    this.count[this.size] = count;
    this.isAfterHole[this.size] = 0;
    ++this.size;
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
