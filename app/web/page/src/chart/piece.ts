// SPDX-License-Identifier: Apache-2.0
// Samples of a series within one generation, as buckets: from x0 to x1 they lie between min and max. Columns of numbers,
// because there are thousands of them in every line.
import { type Buckets, toNumber } from "../base/types";

export interface Piece {
  generation: number;
  x0: number[];
  x1: number[];
  min: number[];
  max: number[];
  mean: number[];
  count: number[];
}

export function emptyPiece(generation: number): Piece {
  return { generation, x0: [], x1: [], min: [], max: [], mean: [], count: [] };
}

export function pieceOf(buckets: Buckets): Piece {
  return {
    generation: buckets.generation,
    x0: buckets.x0.map(toNumber),
    x1: buckets.x1.map(toNumber),
    min: buckets.min.map(toNumber),
    max: buckets.max.map(toNumber),
    mean: buckets.mean.map(toNumber),
    count: buckets.count.slice(),
  };
}

/**
 * A new sample at x, in the last bucket where that is less than `width` wide with it. One that is there already, at or
 * before the last, changes nothing: what is asked for and what streams in may overlap.
 */
export function append(piece: Piece, x: number, value: number, width: number): void {
  const last = piece.x1.length - 1;
  if (last >= 0 && !(x > piece.x1[last]!)) return;
  const mean = last >= 0 ? piece.mean[last]! : NaN;
  if (last >= 0 && x - piece.x0[last]! < width && !Number.isNaN(mean) && !Number.isNaN(value)) {
    const count = piece.count[last]! + 1;
    piece.x1[last] = x;
    piece.min[last] = Math.min(piece.min[last]!, value);
    piece.max[last] = Math.max(piece.max[last]!, value);
    piece.mean[last] = mean + (value - mean) / count;
    piece.count[last] = count;
    return;
  }
  piece.x0.push(x);
  piece.x1.push(x);
  piece.min.push(value);
  piece.max.push(value);
  piece.mean.push(value);
  piece.count.push(1);
}

/** Returns the place of the first of `size` numbers in their order that is x or more; `size` where none is. */
export function firstFrom(numbers: ArrayLike<number>, size: number, x: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Found {
  piece: Piece;
  index: number;
}

/**
 * The bucket nearest to x; of generations that overlap there the newest, which is the one that counts. A value that
 * holds until the next (`holds`) is that of the last bucket before x.
 */
export function nearest(pieces: readonly Piece[], x: number, holds = false): Found | null {
  let best: Found | null = null;
  let distance = Infinity;
  for (const piece of pieces) {
    const size = piece.x0.length;
    if (size === 0) continue;
    const after = Math.min(firstFrom(piece.x1, size, x), size - 1);
    for (const index of [Math.max(0, after - 1), after]) {
      const before = piece.x0[index]! - x;
      const beyond = x - piece.x1[index]!;
      const away = Math.max(0, before, holds && index < size - 1 && x < piece.x0[index + 1]! ? 0 : beyond);
      if (away > distance) continue;
      distance = away;
      best = { piece, index };
    }
  }
  return best;
}
