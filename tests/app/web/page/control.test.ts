// SPDX-License-Identifier: Apache-2.0
// The words of the page about a restart.
import assert from "node:assert/strict";
import test from "node:test";
import { predictionText } from "../../../../app/web/page/src/run/control";
import type { Explorer } from "../../../../app/web/page/src/base/types";

const point = (replicas: number, goodput: number, efficiency: number) => (
  { replicas, goodput, efficiency, throughput: 0, batch_size: 0, local_batch_size: 0, accumulation: 0, step_time: 0 });
const explorer: Explorer = { curve: [point(1, 4000, 0.9), point(2, 5000, 0.75), point(4, 5005, 0.5)] };

test("a prediction compares with what is predicted for now", () => {
  assert.equal(predictionText(explorer, 2, 1),
    "Predicted goodput 5,000 samples/s, 25 % more than the 4,000 predicted for now; efficiency 0.90 → 0.75.");
  const sure: Explorer = { curve: [point(1, 4000, 0.9), { ...point(2, 5000, 0.75), range: [4000, 6250] }] };
  assert.match(predictionText(sure, 2, 1), /^Predicted goodput 5,000 \(4,000 to 6,250\) samples\/s, 25 % more/);
  assert.match(predictionText(explorer, 1, 2), /20 % less/);
  assert.match(predictionText(explorer, 4, 2), /as predicted for now/);
  assert.equal(predictionText(explorer, 2, 2), "The model predicts goodput 5,000 samples/s.");
  assert.match(predictionText(explorer, 64, 2), /fits 64 replicas/);
});

test("without a model its reason is told", () => {
  assert.equal(predictionText({ curve: null, why: "No model yet." }, 2, 1), "No model yet.");
  assert.equal(predictionText(null, 2, 1), "");
});
