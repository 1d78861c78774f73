// SPDX-License-Identifier: Apache-2.0
// The page's words for runs, the same as the window's.
import assert from "node:assert/strict";
import test from "node:test";
import { predictionText } from "../../../../app/web/page/src/run/control";
import { detailText, epochText, stateText } from "../../../../app/web/page/src/run/words";
import type { Explorer, RunStatus, RunSummary } from "../../../../app/web/page/src/base/types";

const point = (replicas: number, goodput: number, efficiency: number) => (
  { replicas, goodput, efficiency, throughput: 0, batch_size: 0, local_batch_size: 0, accumulation: 0, step_time: 0 });
const explorer: Explorer = { curve: [point(1, 4000, 0.9), point(2, 5000, 0.75), point(4, 5005, 0.5)] };

test("a prediction compares with what is predicted for now", () => {
  assert.equal(predictionText(explorer, 2, 1),
    "Predicted goodput 5,000 samples/s, 25 % more than the 4,000 predicted for now; efficiency 0.90 → 0.75.");
  assert.match(predictionText(explorer, 1, 2), /20 % less/);
  assert.match(predictionText(explorer, 4, 2), /as predicted for now/);
  assert.equal(predictionText(explorer, 2, 2), "The model predicts goodput 5,000 samples/s.");
  assert.match(predictionText(explorer, 64, 2), /fits 64 replicas/);
});

test("without a model its reason is told", () => {
  assert.equal(predictionText({ curve: null, why: "No model yet." }, 2, 1), "No model yet.");
  assert.equal(predictionText(null, 2, 1), "");
});

test("states and epochs in words", () => {
  const status = { replicas: 2, target_replicas: 3, loop: "train" } as RunStatus;
  assert.equal(stateText("running", status), "Training on 2 replicas");
  assert.equal(stateText("running", { ...status, loop: "validate" }), "Validating on 2 replicas");
  assert.equal(stateText("restarting", status), "Restarting on 3 replicas");
  assert.equal(stateText("finished", null), "Finished");
  const texts = [epochText("running", 18, 400, 7), epochText("finished", 1, 1, 7), epochText("running", 3, 0, 7214)];
  assert.deepEqual(texts, ["Epoch 19 of 400", "1 epoch", "Step 7,214"]);
  assert.equal(epochText("finished", 0, 0, 0), "Not recorded");
  assert.equal(epochText("starting", 0, 0, 0), "Step 0");
});

test("a run's line in the list", () => {
  const run = { state: "running", epoch: 2, epochs: 5, latest: { accuracy: 0.9812, loss: 3 }, message: "" } as unknown as RunSummary;
  assert.equal(detailText(run), "epoch 3 of 5 · 0.981");
  assert.equal(detailText({ ...run, latest: { loss: "nan" } }), "epoch 3 of 5 · loss –");
  // A run that never made a step shows more than a time, which would be taken for how far it is.
  const unbegun = { ...run, created: 1.7e9, live: null, epochs: 0, epoch: 0, step: 0, latest: {} };
  assert.match(detailText({ ...unbegun, state: "pending" }), /^since \d/);
  assert.equal(detailText({ ...unbegun, state: "stopped", message: "cancelled" }), "cancelled");
  assert.equal(detailText({ ...unbegun, state: "stopped", message: "" }), "without a step");
  assert.equal(detailText({ ...unbegun, state: "finished" }), "not recorded");
  assert.equal(detailText({ ...run, state: "failed", message: "rank 1 was killed" }), "rank 1 was killed");
  assert.match(detailText({ ...run, heard: 1.7e9 }), /^last heard .*\d\d:\d\d/);
});
