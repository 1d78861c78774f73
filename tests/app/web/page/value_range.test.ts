// SPDX-License-Identifier: Apache-2.0
// The page's axes hold what the window's do: it passes the table that the C++ test does.
import assert from "node:assert/strict";
import test from "node:test";
import { type RangeOptions, ValueRange } from "../../../../app/web/page/src/chart/value_range";
import table from "../../common/value_ranges.json";

interface Case {
  name: string;
  values: number[];
  times?: number; // that these values come
  last?: number; // behind them
  bound?: number;
  options?: Partial<RangeOptions> & { isRobust?: boolean };
  spansDecades?: boolean;
  range: number[];
}

const usual: RangeOptions = { base: 0, isLog: false, isZoomed: false, isFromLowest: false };

for (const { name, values, times = 1, last, bound, options = {}, spansDecades = false, range: expected } of table as Case[]) {
  test(name, () => {
    const range = new ValueRange(options.isRobust);
    const all = Array.from({ length: times }, () => values).flat();
    for (const value of last === undefined ? all : [...all, last]) range.add(value, value, value);
    if (bound !== undefined) range.addBound(bound);
    assert.equal(range.spansDecades(), spansDecades);
    const found = range.range({ ...usual, ...options });
    expected.forEach((value, i) => assert.ok(Math.abs(found[i]! - value) <= 1e-9 * Math.abs(value), String(found)));
  });
}

test("what is not a number has no place", () => {
  const range = new ValueRange();
  [NaN, Infinity].forEach((value) => range.add(value, value, value));
  assert.deepEqual(range.range(usual), [0, 1]);
});
