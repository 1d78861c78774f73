// SPDX-License-Identifier: Apache-2.0
// An exponential moving average over pixels, so that it looks the same however many samples lie in one; without the bias
// towards its beginning. The strengths are the window's (app/desktop/scene/decimate.cpp).
import type { Columns } from "./columns";

export const strengths = [0, 0.3, 0.6, 0.9, 0.97] as const;

/** The smoothed means of the columns; those that are not numbers begin it anew. */
export function smoothed(columns: Columns, strength: number, pixelsPerPixel: number): Float64Array {
  const result = columns.mean.slice(0, columns.size);
  if (!(strength > 0)) return result;
  const rate = -(1 - strength) / (2 * strength); // a pixel
  let average = 0;
  let weight = 0;
  let last = 0;
  for (let i = 0; i < columns.size; ++i) {
    const mean = columns.mean[i]!;
    if (mean !== mean) {
      weight = average = 0;
      continue;
    }
    const x = columns.x[i]! / pixelsPerPixel;
    const keep = Math.exp(rate * (weight > 0 ? Math.max(x - last, 1e-3) : 1));
    average = keep * average + (1 - keep) * mean;
    weight = keep * weight + (1 - keep);
    last = x;
    result[i] = average / weight;
  }
  return result;
}
