// SPDX-License-Identifier: Apache-2.0
// The table of what a chart draws.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartFrame, Line } from "../../../../app/web/page/src/chart/line";
import { jsonOf, tableOf } from "../../../../app/web/page/src/chart/save";

const frame = { name: "loss", title: "Loss", unit: "nats" } as ChartFrame;
const line = (label: string, generation: number, x: number[]): Line => ({
  key: label,
  look: { label } as Line["look"],
  pieces: [{ generation, x0: x, x1: x.map((at) => at + 1), min: x, max: x.map((at) => 3 * at), mean: x.map((at) => 2 * at), count: x.map(() => 2) }],
});

test("each bucket of each line is a row, with the generation and the unit", () => {
  assert.deepEqual(tableOf(frame, "step", [line("loss", 0, [1, 3]), line("model", 1, [5])]).trimEnd().split("\n"), [
    "line,generation,step from,step to,lowest (nats),mean (nats),highest (nats),samples",
    "loss,0,1,2,1,2,3,2",
    "loss,0,3,4,3,6,9,2",
    "model,1,5,6,5,10,15,2",
  ]);
});

test("JSON has the same rows, and words for what is not finite", () => {
  const { axis, unit, buckets } = JSON.parse(jsonOf(frame, "step", [line("loss", 0, [1, NaN])])) as { axis: string; unit: string; buckets: object[] };
  assert.deepEqual([axis, unit], ["step", "nats"]);
  assert.deepEqual(buckets, [
    { line: "loss", generation: 0, from: 1, to: 2, lowest: 1, mean: 2, highest: 3, samples: 2 },
    { line: "loss", generation: 0, from: "nan", to: "nan", lowest: "nan", mean: "nan", highest: "nan", samples: 2 },
  ]);
});

test("a name with a comma or a quotation mark is quoted", () => {
  assert.match(tableOf(frame, "step", [line('a "b", c', 0, [1])]), /^"a ""b"", c",0,/m);
});
