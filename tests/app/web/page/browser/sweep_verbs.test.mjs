// SPDX-License-Identifier: Apache-2.0
// A sweep is given more trials, paused, resumed, stopped and removed from its page, and its trials are saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const status = async () => (await it.store.json("sweep", "status", "digits-sweep")).sweep;

const chipIs = (view, text) => view.until((wanted) => document.querySelector(".chip")?.textContent === wanted, text);
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
  await view.write(field, "2");
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

test("a sweep is removed with its runs, and comes back", async () => {
  const names = async () => (await it.store.runs("sweep=digits-sweep")).length;
  const view = await it.browser.open("/sweeps/digits-sweep");
  await chipIs(view, "Stopped");
  const runs = await names();
  await view.press("Remove …");
  await view.sees("Remove the sweep digits-sweep?");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Keep");
  assert.equal(await names(), runs);
  await view.press("Remove …");
  await view.press("Move its runs to the trash, too", "checkbox");
  await view.press("Remove digits-sweep");
  await view.sees("Removed the sweep digits-sweep.");
  await view.until(() => location.pathname === "/sweeps" && !document.querySelector("tbody")?.textContent.includes("digits-sweep"));
  assert.equal((await it.store.json("ls", "--trash")).runs.length, runs);
  await view.press("Undo");
  await chipIs(view, "Stopped");
  assert.equal(await names(), runs);
  view.assertSound();
});

test("the trials are saved as the command line exports them", async () => {
  const view = await it.browser.open("/sweeps/digits-sweep");
  await view.find("CSV", "link");
  const saved = (format) => view.page.evaluate(async (name) => {
    const link = [...document.querySelectorAll("a[download]")].find((each) => each.textContent === name);
    const answer = await fetch(link.href);
    return [answer.headers.get("content-disposition"), await answer.text()];
  }, format);
  const [head, table] = await saved("CSV");
  assert.match(head, /attachment; filename="digits-sweep-trials.csv"/);
  assert.equal(table, await it.store.ask("sweep", "export", "digits-sweep"));
  const [name, file] = await saved("TOML");
  assert.match(name, /attachment; filename="digits-sweep.toml"/);
  assert.equal(file, await it.store.ask("sweep", "export", "digits-sweep", "--toml"));
  const [, all] = await saved("JSON");
  assert.deepEqual(JSON.parse(all).trials, JSON.parse(await it.store.ask("sweep", "export", "digits-sweep", "--json")).trials);
  view.assertSound();
});
