// SPDX-License-Identifier: Apache-2.0
// The buckets of a piece as charts read them at every frame: each column is numbers of one kind beside one another. A list
// is of whole numbers or of others by what happens to be in it, and what reads both kinds takes several times as long.
import type { Piece } from "./piece";

export interface Packed {
  size: number;
  x: Float64Array; // the middle of each bucket
  x0: Float64Array;
  x1: Float64Array;
  low: Float64Array;
  high: Float64Array;
  mean: Float64Array;
  count: Float64Array;
}

export function packed({ x0, x1, min, max, mean, count }: Piece): Packed {
  const packed = { size: x0.length, x: new Float64Array(x0.length), x0: Float64Array.from(x0), x1: Float64Array.from(x1),
    low: Float64Array.from(min), high: Float64Array.from(max), mean: Float64Array.from(mean), count: Float64Array.from(count) };
  for (let i = 0; i < packed.size; ++i) packed.x[i] = (packed.x0[i]! + packed.x1[i]!) / 2;
  return packed;
}
