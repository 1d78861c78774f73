// SPDX-License-Identifier: Apache-2.0
// The charts of a run, and what they draw of what is recorded.
import assert from "node:assert/strict";
import test from "node:test";
import type { Piece } from "../../../../app/web/page/src/chart/piece";
import { chartsOf, usualCharts } from "../../../../app/web/page/src/run/charts";
import { bandsOf, lineOf } from "../../../../app/web/page/src/run/derive";
import { choices } from "../../../../app/web/page/src/run/replica_choice";
import type { Generation } from "../../../../app/web/page/src/base/types";

const recorded = (...names: string[]) => names.map((name) => ({ name, unit: "", factor: 1 }));
const usual = (...names: string[]) => usualCharts(chartsOf(recorded(...names)), recorded(...names)).map((chart) => chart.name);

test("accuracy has a chart where it is recorded, and the noise scale where it is asked for", () => {
  assert.ok(!usual("loss").includes("accuracy"));
  assert.ok(usual("loss", "accuracy").includes("accuracy"));
  assert.ok(!usual("noise_scale").includes("noise"));
});

test("epoch progress counts epochs, too", () => {
  const chart = chartsOf(recorded("progress", "epoch")).find((each) => each.title === "Epoch progress");
  assert.deepEqual(chart?.lines.map((line) => line.label), ["scale-invariant", "steps", "epochs"]);
});

test("series of a program's own share a chart where a word says that they compare", () => {
  const own = chartsOf(recorded("loss", "loss_d", "loss_g", "perplexity", "score_real")).filter((chart) => chart.name.startsWith("own:"));
  assert.deepEqual(own.map((chart) => chart.title), ["loss_d, loss_g", "perplexity", "score_real"]);
});

test("devices have a line a replica, in the order of the ranks", () => {
  const chart = chartsOf(recorded("device/cpu/10", "device/cpu/2")).find((each) => each.name === "device-cpu");
  assert.deepEqual(chart?.lines.map((line) => line.label), ["rank 2", "rank 10"]);
});

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
