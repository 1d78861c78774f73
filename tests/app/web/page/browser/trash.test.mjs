// SPDX-License-Identifier: Apache-2.0
// The trash is listed, and a run is restored from it; that is undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ATTACK } from "./support/attack.mjs";
import { setUp } from "./support/case.mjs";

const it = setUp();

const isThere = async (name) => (await it.store.runs()).some((run) => run.name === name);

// Waits until the table has these runs in this order.
const shows = (view, ...wanted) => view.until((expected) =>
  [...document.querySelectorAll('[aria-label="Removed runs"] .run-name')].map((each) => each.textContent).join() === expected, wanted.join());

test("a run is restored from the list of the trash", async () => {
  const view = await it.browser.open("/");
  await view.row("baseline");
  await (await view.find("Trash", "link")).click();
  await view.sees("The trash is empty.");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await it.store.ask("rm", await it.store.idOf("baseline"));
  await it.store.ask("rm", await it.store.idOf("faster"));
  await shows(view, "faster", "baseline");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Restore baseline");
  await view.sees("Restored baseline.");
  await shows(view, "faster");
  assert.ok(await isThere("baseline"));
  await view.press("Undo");
  await shows(view, "baseline", "faster");
  assert.ok(!(await isThere("baseline")));
  await view.page.type(view.selector("Find runs"), "fast");
  await shows(view, "faster");
  await view.press("Restore faster");
  await view.sees("No run matches.");
  await it.store.ask("restore", "baseline");
  view.assertSound();
});

test("a name in the trash is text, whatever stands in it", async () => {
  const run = await it.store.idOf(ATTACK);
  await it.store.ask("rm", run);
  const view = await it.browser.open("/trash");
  await view.sees("<img src=x");
  assert.equal(await view.page.evaluate(() => document.querySelectorAll('img[src="x"]').length), 0);
  await it.store.ask("restore", run);
  view.assertSound();
});
