// SPDX-License-Identifier: Apache-2.0
// A sweep of a recipe begins from the page, with checked ranges, and trains.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

// Writes into the field in place of what it has.
async function write(view, name, text, role = "textbox") {
  const field = await view.find(name, role);
  await view.write(field, text);
}

const choose = async (view, name, value) => (await view.find(name, "combobox")).select(value);

test("settings are searched by a range and a list, what is wrong is told, and trials train", async () => {
  const view = await it.browser.open("/sweeps");
  await view.press("Begin a sweep …");
  await view.until(() => [...document.querySelectorAll("dialog option")].some((each) => each.textContent === "Handwritten digits"));
  assert.deepEqual(await view.accessibilityFaults(), []);
  await write(view, "Name", "from-the-page");
  await write(view, "Trials", "2", "spinbutton");
  await view.sees("Choose at least one setting to search");
  await choose(view, "How lr is chosen", "log");
  await write(view, "Lowest lr", "0.1");
  await write(view, "Highest lr", "0.01");
  await view.sees("must be less than max");
  await write(view, "Lowest lr", "0.001");
  await choose(view, "How scaling-rule is chosen", "values");
  await write(view, "Values of scaling-rule, with commas between them", "adascale, linear");
  await write(view, "epochs", "1");
  await view.until(() => [...document.querySelectorAll("dialog .complaint")].every((each) => each.textContent === ""));
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Begin");
  await view.until(() => location.pathname === "/sweeps/from-the-page");
  await view.sees("Parallel coordinates");
  await view.until(() => document.querySelector(".chip")?.textContent === "Finished");
  const { sweep, trials } = await it.store.json("sweep", "status", "from-the-page");
  assert.deepEqual([sweep.trials.done, sweep.metric, sweep.goal], [2, "accuracy", "max"]);
  for (const { parameters } of trials) {
    assert.ok(Number(parameters.lr) >= 0.001 && Number(parameters.lr) <= 0.01);
    assert.ok(["adascale", "linear"].includes(parameters["scaling-rule"]));
    assert.equal(parameters.epochs, "1");
  }
  view.assertSound();
});

test("bad trials are stopped early, and a point has several seeds", async () => {
  const view = await it.browser.open("/sweeps");
  await view.press("Begin a sweep …");
  await write(view, "Name", "stopped-early");
  await write(view, "Trials", "3", "spinbutton");
  await write(view, "Runs of each point", "2", "spinbutton");
  await choose(view, "How lr is chosen", "log");
  await write(view, "Lowest lr", "0.0001");
  await write(view, "Highest lr", "0.01");
  await write(view, "epochs", "1");
  assert.equal(await view.page.$("#field-stop-min:not([hidden] *)"), null);
  await choose(view, "Stop trials early", "asha");
  await write(view, "First rung", "0");
  await view.sees(/min must be above 0/i);
  await write(view, "First rung", "30");
  await write(view, "From rung to rung", "2");
  await view.until(() => [...document.querySelectorAll("dialog .complaint")].every((each) => each.textContent === ""));
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Begin");
  await view.until(() => location.pathname === "/sweeps/stopped-early");
  const file = await it.store.ask("sweep", "export", "stopped-early", "--toml");
  assert.match(file, /seeds = 2/);
  assert.match(file, /\[stop\]\nkind = "asha"\nmin = 30.0\neta = 2.0/);
  await it.store.ask("sweep", "stop", "stopped-early");
  view.assertSound();
});

test("a name that is taken is refused in words", async () => {
  const view = await it.browser.open("/sweeps");
  await view.press("Begin a sweep …");
  await write(view, "Name", "digits-sweep");
  await choose(view, "How scaling-rule is chosen", "values");
  await view.press("Begin");
  await view.sees("There is a sweep 'digits-sweep' already");
});
