// SPDX-License-Identifier: Apache-2.0
// The page's axes are the window's: it passes the table that the C++ test does.
import assert from "node:assert/strict";
import test from "node:test";
import { linearTicks, logTicks, logTimeTicks, multiples, roundInterval, type Tick, timeTicks } from "../../../../app/web/page/src/base/ticks";
import cases from "../../common/axis_ticks.json";

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

const axes: { [Name in keyof typeof cases]: (low: number, high: number, most: number) => Tick[] } = {
  linear: linearTicks,
  time: timeTicks,
  "logarithmic time": logTimeTicks,
  logarithmic: logTicks,
};

for (const [name, rows] of Object.entries(cases)) {
  test(`a ${name} axis`, () => {
    for (const [low, high, most, labels] of rows as [number, number, number, string][]) {
      const ticks = axes[name as keyof typeof cases](low, high, most);
      assert.equal(ticks.map((tick) => tick.label).join("|"), labels);
    }
  });
}
