// SPDX-License-Identifier: Apache-2.0
// The lines of charts, from what is recorded.
import assert from "node:assert/strict";
import test from "node:test";
import type { Piece } from "../../../../app/web/page/src/chart/piece";
import { bandsOf, emptyText, lineOf } from "../../../../app/web/page/src/run/lines";
import { choices } from "../../../../app/web/page/src/run/replica_choice";
import type { Generation } from "../../../../app/web/page/src/base/types";

const piece = (generation: number, x: number[], mean: number[]): Piece => (
  { generation, x0: x, x1: x, min: mean, max: mean, mean, count: mean.map(() => 1) });

test("a line in another unit, and one that the server computes", () => {
  const read = (name: string) => ({ step_time: [piece(0, [1, 2], [0.5, 0.75])], "lr/lr_factor": [piece(0, [2], [3])] })[name] ?? [];
  const time = lineOf({ series: "step_time", factor: 1000, label: "step", colour: 0 }, read);
  assert.deepEqual(time.pieces[0]!.mean, [500, 750]);
  const scheduled = lineOf({ series: "lr/lr_factor", label: "scheduled", colour: 0 }, read);
  assert.deepEqual(scheduled.pieces[0]!.mean, [3]);
});

test("a band around a line, in the line's unit", () => {
  const read = (name: string) => [piece(0, [1, 2], name === "low" ? [0.25, 0.5] : name === "high" ? [0.75, 1] : [0.5, 0.75])];
  const line = lineOf({ series: "gain", factor: 100, label: "gain", colour: 0, band: ["low", "high"] }, read);
  assert.deepEqual(line.edges!.map(([edge]) => edge!.mean), [[25, 50], [75, 100]]);
  assert.equal(lineOf({ series: "gain", label: "gain", colour: 0 }, read).edges, undefined);
});

test("a band reaches to the next restart, and the last to the newest sample", () => {
  const read = (name: string) => (name === "loss" ? [piece(0, [1, 5], [1, 1]), piece(1, [7, 9], [1, 1])] : [piece(1, [6], [1])]);
  const generations = [{ number: 0, replicas: 2 }] as Generation[];
  const bands = bandsOf(["loss", "accuracy"], read, generations);
  assert.deepEqual(bands.map(({ from, to, replicas, isRestart }) => [from, to, replicas, isRestart]), [[1, 6, 2, false], [6, 9, null, true]]);
});

test("an empty chart says why it is", () => {
  for (const state of ["starting", "running", "paused", "pending"] as const) assert.equal(emptyText(state, 7), "Nothing recorded yet");
  assert.equal(emptyText("finished", 7), "Not recorded in this run");
  assert.equal(emptyText("failed", 0), "Ended before its first step");
});

test("numbers of replicas to choose from", () => {
  assert.deepEqual(choices(2, 2), [1, 2, 3, 4]);
  assert.deepEqual(choices(8, 3), [1, 2, 3, 4, 8, 16]);
});
