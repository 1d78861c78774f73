// SPDX-License-Identifier: Apache-2.0
// A sweep is given more trials, paused, resumed and stopped from its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const status = async () => (await it.store.json("sweep", "status", "digits-sweep")).sweep;

const chipIs = (view, text) => view.until((wanted) => document.querySelector(".chip").textContent === wanted, text);
const isEnabled = (view, name) => view.page.$eval(view.selector(name, "button"), (each) => !each.disabled);

test("a sweep goes on with more trials, and is paused, resumed and stopped", async () => {
  await it.store.ask("pool", "--pause"); // so that its trials wait, and the sweep does not end
  const view = await it.browser.open("/sweeps/digits-sweep");
  await chipIs(view, "Finished");
  assert.deepEqual([await isEnabled(view, "Resume"), await isEnabled(view, "Stop …")], [false, false]);

  await view.press("More trials …");
  const field = await view.find("More trials", "spinbutton");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await field.type("0\n"); // what is offered is selected
  await view.sees(/above 0/);
  await field.click({ count: 3 });
  await field.type("2");
  await view.press("Add and go on");
  await chipIs(view, "Running");
  assert.equal((await status()).trials.wanted, 8);

  await view.press("Pause");
  await chipIs(view, "Paused");
  assert.equal((await status()).state, "paused");
  await view.press("Resume");
  await chipIs(view, "Running");

  await view.press("Stop …");
  await view.sees("Stop the sweep digits-sweep?");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Keep");
  assert.equal((await status()).state, "running");
  await view.press("Stop …");
  await view.press("Stop digits-sweep");
  await chipIs(view, "Stopped");
  assert.equal((await status()).state, "stopped");
  assert.deepEqual([await isEnabled(view, "Resume"), await isEnabled(view, "Stop …")], [true, false]);
  view.assertSound();
});

test("what somebody else has done meanwhile is refused in words", async () => {
  await it.store.ask("sweep", "extend", "digits-sweep", "--trials", "1");
  const view = await it.browser.open("/sweeps/digits-sweep");
  await chipIs(view, "Running");
  await view.page.evaluate(() => { // hears of nothing
    const { fetch } = window;
    window.fetch = (path, init) => (init?.method === "POST" ? fetch(path, init) : new Promise(() => {}));
  });
  await it.store.ask("sweep", "stop", "digits-sweep");
  await view.press("Pause");
  await view.sees("was stopped: it trains nothing");
});
