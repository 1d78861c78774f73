// SPDX-License-Identifier: Apache-2.0
// The answers that a recording gives about its samples.
import assert from "node:assert/strict";
import test from "node:test";
import { isRecording, samplesOf } from "../../../../app/web/page/src/base/recording";

const places = { generation: 1, x0: 0, x1: 0, min: 1, max: 1, mean: 1, count: 2 };
const axis = { range: [1, 3] as [number, number], above_zero: 1, series: { loss: [places] } };
const all = { samples: { step: axis, time: axis, progress: axis }, columns: [[1, 2, 3], [0.5, "nan" as const, 0.25], [1, 1, 1]] };

test("a series is put together from the columns that it shares", () => {
  const answer = samplesOf(all, new URLSearchParams("x=step&series=loss,gain&columns=2"));
  assert.deepEqual([answer.x, answer.range], ["step", [1, 3]]);
  assert.deepEqual(answer.series["loss"], [{ generation: 1, x0: [1, 2, 3], x1: [1, 2, 3], min: [0.5, "nan", 0.25],
    max: [0.5, "nan", 0.25], mean: [0.5, "nan", 0.25], count: [1, 1, 1] }]);
  assert.deepEqual(answer.series["gain"], []);
});

test("a page that came from a server is not a recording", () => assert.equal(isRecording, false));
