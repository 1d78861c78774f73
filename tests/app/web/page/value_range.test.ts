// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { type RangeOptions, ValueRange } from "../../../../app/web/page/src/chart/value_range";

const usual: RangeOptions = { base: 0, isLog: false, isZoomed: false, isFromLowest: false };

function of(values: number[], options: Partial<RangeOptions> = {}, isRobust = false): [number, number] {
  const range = new ValueRange(isRobust);
  values.forEach((value) => range.add(value, value, value));
  return range.range({ ...usual, ...options });
}

test("charts stand on their base", () => {
  assert.deepEqual(of([40, 90]), [0, 100]);
  assert.deepEqual(of([40, 90], { isFromLowest: true }), [40, 100]);
  assert.deepEqual(of([90, 99], { isZoomed: true }), [90, 100]);
  assert.deepEqual(of([32, 32], { isZoomed: true }), [0, 40]);
  assert.deepEqual(of([-3, 5]), [-4, 6]);
});

test("a base that is not a round number stands a little above the edge", () => {
  const [low, high] = of([1, 7.8], { base: 1 });
  assert.equal(high, 8);
  assert.ok(Math.abs(low - 0.58) < 1e-12);
});

test("nothing recorded, or one value, still makes an axis", () => {
  assert.deepEqual(of([]), [0, 1]);
  assert.deepEqual(of([NaN, Infinity]), [0, 1]);
  assert.deepEqual(of([], { isLog: true }), [1, 10]);
  assert.deepEqual(of([0]), [0, 1.25]);
});

test("single peaks do not stretch an axis that is robust", () => {
  const values = Array.from({ length: 200 }, (_, i) => (i === 100 ? 1e6 : 50 + (i % 7)));
  assert.ok(of(values, {}, true)[1] <= 100);
  assert.ok(of(values)[1] >= 1e6);
});

test("a logarithmic axis has powers of two at its ends and leaves out what is not above zero", () => {
  assert.deepEqual(of([0, 3, 100], { isLog: true }), [2, 128]);
});

test("values of decades ask for a logarithmic axis, unless some are not above zero", () => {
  const spans = (values: number[]) => {
    const range = new ValueRange();
    values.forEach((value) => range.add(value, value, value));
    return range.spansDecades();
  };
  assert.ok(spans([0.001, 2]));
  assert.ok(!spans([1, 9]));
  assert.ok(!spans([0, 100]));
});
