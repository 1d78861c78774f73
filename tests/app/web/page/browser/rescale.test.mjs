// SPDX-License-Identifier: Apache-2.0
// A run that trains is restarted on two replicas by the button, and its charts show the restart as a band.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("the button restarts the run, and a band says on how many replicas", async () => {
  const run = await it.store.train("live", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  await view.sees("Training on 1 replica");
  await view.press("2", "radio");
  await view.press("Restart on 2 replicas");
  await view.sees("Training on 2 replicas");
  await view.until(() => document.querySelector('figure.chart[data-chart="loss"] .plot').ariaLabel.includes("2 generations"));
  const { generations } = await it.store.json("show", run);
  assert.deepEqual(generations.map((each) => each.replicas), [1, 2]);
  view.assertSound();
});

test("a run moves to devices by name", async () => {
  const run = await it.store.train("named", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  await view.sees("Training on 1 replica");
  const [now] = (await it.store.json("show", run)).run.devices;
  const other = await view.page.evaluate(async (taken) => (await (await fetch("/api/about")).json()).devices.find((each) => each !== taken), now);
  await (await view.page.$(".by-name summary")).click();
  await view.press(other, "checkbox");
  await view.press(`Restart on ${other}`);
  await view.until((name) => document.querySelector(".by-name [data-present]")?.textContent === name, other);
  // The others are given back once it trains there.
  for (let devices = []; devices.join() !== other;) ({ devices } = (await it.store.json("show", run)).run);
  await it.store.ask("stop", run);
  view.assertSound();
});

test("the buttons stay where they are while the prediction's text grows", async () => {
  const run = await it.store.train("still", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  const top = async () => (await (await view.find("Pause", "button")).boundingBox()).y;
  await view.sees(/the model predicts/i);
  const before = await top();
  await view.sees("Measured now");
  assert.equal(await top(), before);
  await it.store.ask("stop", run);
});

test("pause, resume, checkpoint and stop do what they say", async () => {
  const run = await it.store.train("steered", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  await view.sees("Training on 1 replica");
  await view.press("Checkpoint");
  await view.sees(/checkpoint/i);
  await view.press("Pause");
  await view.sees("Paused");
  await view.press("Resume");
  await view.sees("Training on 1 replica");
  await view.press("Stop");
  await view.press("Stop the run");
  await view.sees("Stopped");
  const { checkpoints } = await it.store.json("show", run);
  assert.ok(checkpoints.length >= 1);
});
