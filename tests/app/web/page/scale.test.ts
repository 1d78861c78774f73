// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleOf } from "../../../../app/web/page/src/figure/scale";

test("open ends of an axis go on to round numbers", () => {
  const scale = scaleOf({}, [3, 87], 5);
  assert.deepEqual([scale.low, scale.high], [0, 100]);
  assert.equal(scale.at(50), 0.5);
  assert.deepEqual(scale.ticks.map((tick) => tick.label), ["0", "20", "40", "60", "80", "100"]);
});

test("ends that were said stay", () => {
  const scale = scaleOf({ low: 1, high: 9 }, [3, 87], 4);
  assert.deepEqual([scale.low, scale.high, scale.at(5)], [1, 9, 0.5]);
});

test("a logarithmic axis leaves out what has no logarithm, and has room around a lone value", () => {
  const scale = scaleOf({ kind: "log" }, [0, -1, NaN, 100], 5);
  assert.deepEqual([scale.low, scale.high], [50, 200]);
  assert.ok(Math.abs(scale.at(100) - 0.5) < 1e-12);
});

test("names have their places in the middle of equal parts", () => {
  const scale = scaleOf({ kind: "names", names: ["a", "b"] }, [], 5);
  assert.deepEqual([scale.at(0), scale.at(1)], [0.25, 0.75]);
});

test("an axis of no values is still one", () => {
  for (const kind of ["linear", "log", "time", "names"] as const) {
    const scale = scaleOf({ kind }, [], 5);
    assert.ok(scale.low < scale.high);
  }
});
