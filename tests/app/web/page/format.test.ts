// SPDX-License-Identifier: Apache-2.0
// The page's numbers are those of the other faces: it passes the table that the C++ test does.
import assert from "node:assert/strict";
import test from "node:test";
import * as format from "../../../../app/web/page/src/base/format";
import cases from "../../common/number_text.json";

const functions: { [Name in keyof typeof cases]: (value: number) => string } = {
  count: format.count,
  number: (value) => format.number(value),
  "number of 4 digits": (value) => format.number(value, 4),
  percent: (value) => format.percent(value),
  "percent of 3 digits": (value) => format.percent(value, 3),
  duration: format.duration,
  pause: format.pause,
  clock: format.clock,
  bytes: format.bytes,
  replicas: format.replicas,
};

for (const [name, rows] of Object.entries(cases)) {
  test(`a ${name}`, () => {
    for (const [value, text] of rows) {
      const number = typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value;
      assert.equal(functions[name as keyof typeof cases](number as number), text);
    }
  });
}

test("a dash stands for what is not there", () => {
  assert.equal(format.number(null), "–");
});
