// SPDX-License-Identifier: Apache-2.0
//
// Invariants of samples that a chart draws.
import assert from "node:assert/strict";

// Asserts that within each generation a bucket ends before the next begins: nothing is drawn twice.
export function assertInOrder(pieces) {
  for (const { generation, x0, x1 } of pieces) {
    for (let i = 0; i < x0.length; ++i) {
      assert.ok(x0[i] <= x1[i], `bucket ${i} of generation ${generation} ends before it begins`);
      assert.ok(i === 0 || x0[i] > x1[i - 1], `generation ${generation}: ${x0[i]} stands behind ${x1[i - 1]}`);
    }
  }
}

// The longest stretch between two buckets that lie between these places.
export function longestHole(pieces, from, to) {
  let longest = 0;
  for (const { x0, x1 } of pieces) {
    for (let i = 1; i < x0.length; ++i) {
      if (x0[i] > from && x1[i - 1] < to) longest = Math.max(longest, x0[i] - x1[i - 1]);
    }
  }
  return longest;
}
