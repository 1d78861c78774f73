// SPDX-License-Identifier: Apache-2.0
// Under --read-only nothing of a run can be changed: the page offers nothing, and the server refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp("--read-only");

test("no control is there", async () => {
  const run = await it.store.train("live", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}`);
  await view.sees("Training on 1 replica");
  await view.chart("loss");
  const names = await view.page.$$eval("button:not(.sort)", (buttons) => buttons.map((each) => each.textContent.trim()));
  assert.deepEqual(names.filter((each) => /^(Restart on .*|Checkpoint|Pause|Resume|Stop)$/.test(each)), []);
  const answer = await fetch(it.server.at(`/api/runs/${run}/control`), {
    method: "POST",
    headers: { Authorization: `Bearer ${it.server.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ command: "stop" }),
  });
  assert.equal(answer.status, 403);
});

test("the queue is for looking", async () => {
  await it.store.ask("submit", "digits", "--name", "waiting", "--hold");
  const view = await it.browser.open("/queue");
  await view.sees("waiting");
  await view.sees("read only");
  const asking = await view.page.$$eval("main button:not(.sort, .unfold), main input, main select", (all) => all.map((each) => each.outerHTML));
  assert.deepEqual(asking, []);
  await it.store.ask("cancel", "waiting");
});

test("a sweep is for looking", async () => {
  const view = await it.browser.open("/sweeps/digits-sweep");
  await view.sees("Parallel coordinates");
  await view.sees("read only");
  const names = await view.page.$$eval("main button:not(.sort)", (buttons) => buttons.map((each) => each.textContent.trim()));
  assert.deepEqual(names.filter((each) => /^(Pause|Resume|Stop|More)/.test(each)), []);
});

test("the trash is for looking", async () => {
  const run = await it.store.idOf("faster");
  await it.store.ask("rm", run);
  const view = await it.browser.open("/trash");
  await view.sees("faster");
  await view.sees("read only");
  assert.deepEqual(await view.page.$$eval("main button:not(.sort)", (all) => all.map((each) => each.outerHTML)), []);
  await it.store.ask("restore", run);
});
