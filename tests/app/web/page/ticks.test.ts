// SPDX-License-Identifier: Apache-2.0
// The numbers of tests/app/common and tests/app/desktop, so that the page's axes are the window's.
import assert from "node:assert/strict";
import test from "node:test";
import { linearTicks, logTicks, logTimeTicks, multiples, roundInterval, timeTicks } from "../../../../app/web/page/src/base/ticks";

const labels = (ticks: { label: string }[]) => ticks.map((tick) => tick.label);

test("an interval is 1, 2, 2.5 or 5 times a power of ten", () => {
  assert.deepEqual([roundInterval(0, 10, 5), roundInterval(0, 9, 4), roundInterval(0, 1, 4)], [2, 2.5, 0.25]);
  assert.equal(roundInterval(3, 3, 5), 1);
  assert.equal(roundInterval(0, Infinity, 5), 1);
});

test("multiples lie within, and zero has no sign", () => {
  assert.deepEqual(multiples(-1, 1, 1), [-1, 0, 1]);
  assert.ok(Object.is(multiples(-1, 1, 1)[1], 0));
  assert.equal(multiples(0, 1e9, 1).length, 100);
});

test("numbers have the decimals that tell them apart", () => {
  assert.deepEqual(labels(linearTicks(0, 1, 4)), ["0", "0.25", "0.50", "0.75", "1.00"]);
  assert.deepEqual(labels(linearTicks(0, 8000, 4)), ["0", "2,000", "4,000", "6,000", "8,000"]);
  assert.deepEqual(labels(linearTicks(0, 2e6, 2)), ["0", "1M", "2M"]);
  assert.deepEqual(labels(linearTicks(0, 2e-5, 2)), ["0", "1×10⁻⁵", "2×10⁻⁵"]);
});

test("time is in the unit that fits", () => {
  assert.deepEqual(labels(timeTicks(0, 40, 4)), ["0 s", "10 s", "20 s", "30 s", "40 s"]);
  assert.deepEqual(labels(timeTicks(0, 3600, 4)), ["0 min", "15 min", "30 min", "45 min", "60 min"]);
  assert.deepEqual(labels(timeTicks(240, 300, 4)), ["4:00", "4:15", "4:30", "4:45", "5:00"]);
  assert.deepEqual(labels(timeTicks(0, 4 * 86400, 4)), ["0 d", "1 d", "2 d", "3 d", "4 d"]);
});

test("time on a logarithmic axis is in the unit of each tick, as many as have room, counted from the end", () => {
  assert.deepEqual(labels(logTimeTicks(0.5, 7200, 20)), ["1 s", "3 s", "10 s", "30 s", "1 min", "3 min", "10 min", "30 min", "1 h"]);
  assert.deepEqual(labels(logTimeTicks(0.5, 7200, 5)), ["1 s", "10 s", "1 min", "10 min", "1 h"]);
});

test("a logarithmic axis counts in powers of two from one, and in ones, twos and fives below", () => {
  assert.deepEqual(labels(logTicks(1, 16, 5)), ["1", "2", "4", "8", "16"]);
  assert.deepEqual(labels(logTicks(0.1, 1, 4)), ["0.1", "0.2", "0.5", "1"]);
  assert.deepEqual(labels(logTicks(1e-4, 1, 4)), ["1×10⁻⁴", "0.001", "0.01", "0.1", "1"]);
});
