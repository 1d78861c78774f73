// SPDX-License-Identifier: Apache-2.0
// A run's name, tags and note are written from the page, and a run is moved into the trash; both are undone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const named = async (name) => (await it.store.runs()).find((run) => run.name === name);

async function write(view, name, text) {
  const field = await view.find(name, "textbox");
  await view.write(field, text);
}

test("what is written is shown, told and undone", async () => {
  const run = await it.store.idOf("baseline");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss");
  await view.press("Edit");
  await write(view, "Name", "renamed");
  await write(view, "Tags", "paper, first");
  await write(view, "Note", "The one to beat.");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Save");
  await view.sees("Changed the name, tags, note of renamed.");
  await view.sees("Tags first, paper · The one to beat.");
  const { tags, note } = await named("renamed");
  assert.deepEqual({ tags, note }, { tags: ["first", "paper"], note: "The one to beat." });
  await view.press("Undo");
  await view.until(() => document.querySelector("h1").textContent === "baseline" && !document.body.innerText.includes("The one to beat."));
  assert.equal((await named("baseline")).note, "");
  view.assertSound();
});

test("a name that there is not is refused in the dialog", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  await view.chart("loss");
  await view.press("Edit");
  await write(view, "Name", "latest");
  await view.press("Save");
  await view.sees(/latest.*newest/);
  assert.ok(await named("baseline"));
});

test("a run goes into the trash and comes back", async () => {
  const run = await it.store.idOf("faster");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss");
  await view.press("Edit");
  await view.press("Move to the trash");
  await view.sees("Moved faster to the trash.");
  await view.row("baseline");
  assert.equal(await named("faster"), undefined);
  await view.press("Undo");
  await view.chart("loss");
  assert.ok(await named("faster"));
  view.assertSound();
});
