// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import * as format from "../../../../app/web/page/src/base/format";

test("numbers have three digits, unless they are whole", () => {
  const read = [4.2134, 0.34, 7214, 123456, 0.000012, 0, NaN, Infinity, -Infinity].map((value) => format.number(value));
  assert.deepEqual(read, ["4.21", "0.340", "7,214", "123,500", "1.20 × 10⁻⁵", "0", "–", "∞", "−∞"]);
  assert.equal(format.number(null), "–");
});

test("shares are in percent", () => {
  assert.equal(format.percent(0.19), "19 %");
  assert.equal(format.percent(0.984, 3), "98.4 %");
});

test("durations, pauses and clocks", () => {
  assert.deepEqual([45, 3660, 12000, 187200].map(format.duration), ["45 s", "61 min", "3 h 20 min", "2 days 4 h"]);
  assert.deepEqual([0.009, 0.16, 14.21].map(format.pause), ["9 ms", "0.16 s", "14.2 s"]);
  assert.deepEqual([7, 2201, 7510].map(format.clock), ["0:07", "36:41", "2:05:10"]);
});

test("sizes are in powers of a thousand", () => {
  assert.deepEqual([12, 2_100_000, 41_000_000].map(format.bytes), ["12 bytes", "2.1 MB", "41 MB"]);
});

test("a number of replicas is a word", () => {
  assert.deepEqual([1, 3].map(format.replicas), ["1 replica", "3 replicas"]);
});
