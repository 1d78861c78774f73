// SPDX-License-Identifier: Apache-2.0
// The lines of charts, from what is recorded.
import assert from "node:assert/strict";
import test from "node:test";
import type { Piece } from "../../../../app/web/page/src/chart/piece";
import { bandsOf, lineOf } from "../../../../app/web/page/src/run/derive";
import { choices } from "../../../../app/web/page/src/run/replica_choice";
import type { Generation } from "../../../../app/web/page/src/base/types";

const piece = (generation: number, x: number[], mean: number[]): Piece => (
  { generation, x0: x, x1: x, min: mean, max: mean, mean, count: mean.map(() => 1) });

test("a line in another unit, a difference, and a ratio of series that began later", () => {
  const read = (name: string) => ({ step_time: [piece(0, [1, 2], [0.5, 0.7])], sync_time: [piece(0, [1, 2], [0.1, 0.2])],
    lr: [piece(0, [1, 2, 3], [2, 4, 6])], lr_factor: [piece(0, [2, 3], [2, 3])] })[name] ?? [];
  const compute = lineOf({ series: "step_time", minus: "sync_time", factor: 1000, label: "compute", colour: 0 }, read);
  assert.deepEqual(compute.pieces[0]!.mean.map(Math.round), [400, 500]);
  const scheduled = lineOf({ series: "lr", over: "lr_factor", label: "scheduled", colour: 0 }, read);
  assert.deepEqual(scheduled.pieces[0]!.mean, [1, 2, 2]);
  assert.equal(compute.key === scheduled.key, false);
});

test("a band reaches to the next restart, and the last to the newest sample", () => {
  const read = (name: string) => (name === "loss" ? [piece(0, [1, 5], [1, 1]), piece(1, [7, 9], [1, 1])] : [piece(1, [6], [1])]);
  const generations = [{ number: 0, replicas: 2 }] as Generation[];
  const bands = bandsOf(["loss", "accuracy"], read, generations);
  assert.deepEqual(bands.map(({ from, to, replicas, isRestart }) => [from, to, replicas, isRestart]), [[1, 6, 2, false], [6, 9, null, true]]);
});

test("numbers of replicas to choose from", () => {
  assert.deepEqual(choices(2, 2), [1, 2, 3, 4]);
  assert.deepEqual(choices(8, 3), [1, 2, 3, 4, 8, 16]);
});
