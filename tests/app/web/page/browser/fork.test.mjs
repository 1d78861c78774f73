// SPDX-License-Identifier: Apache-2.0
// A run is forked from one of its checkpoints, with another setting; a run of a program of one's own is not, from a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ATTACK } from "./support/attack.mjs";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("a fork begins at the checkpoint, with the name and the replicas that were asked for", async () => {
  const run = await it.store.train("live", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss"); // it trains
  await it.store.ask("checkpoint", run);
  const { checkpoints } = await it.store.json("show", run);
  await view.press("Checkpoints", "tab");
  await view.press(`Fork … from ${checkpoints[0].name}`);
  const name = await view.find("Name", "textbox");
  assert.deepEqual(await view.accessibilityFaults(), []);
  assert.equal(await name.evaluate((each) => each.value), "live fork");
  assert.equal(await view.page.$eval("#field-values-epochs", (each) => each.value), "2000"); // the run's own
  await name.type("branch"); // what is offered is selected
  const replicas = await view.find("Replicas", "spinbutton");
  await view.write(replicas, "0\n");
  await view.sees(/replicas must be a whole number from 1/i);
  await view.write(replicas, "1");
  const epochs = await view.page.$("#field-values-epochs");
  await view.write(epochs, "0\n");
  await view.until(() => document.getElementById("field-values-epochs-complaint").textContent.includes("at least 1"));
  await view.write(epochs, "3000");
  await view.press("Start the fork");
  await view.until(() => document.querySelector("h1")?.textContent === "branch");
  await view.sees("Training on 1 replica");
  const fork = await it.store.json("show", await it.store.idOf("branch"));
  assert.equal(fork.generations[0].replicas, 1);
  assert.equal(fork.generations[0].first_step, checkpoints[0].step + 1);
  assert.equal(fork.hyperparameters.epochs, "3000");
  assert.deepEqual({ ...fork.hyperparameters, epochs: "2000" }, (await it.store.json("show", run)).hyperparameters);
  view.assertSound();
});

test("a run of a program of one's own is refused, with the command that forks it", async () => {
  const run = await it.store.idOf(ATTACK);
  const answer = await fetch(it.server.at(`/api/runs/${run}/fork`), {
    method: "POST",
    headers: { Authorization: `Bearer ${it.server.token}`, "Content-Type": "application/json" },
    body: "{}",
  });
  assert.equal(answer.status, 409);
  assert.match((await answer.json()).error, new RegExp(`in a terminal: batchscope fork ${run}`));
});
