// SPDX-License-Identifier: Apache-2.0
// Everything goes without a mouse: from the list to a run that trains, and its restart on two replicas.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const focused = (view) => view.page.evaluate(() => {
  const each = document.activeElement;
  return { role: each.getAttribute("role") ?? each.tagName.toLowerCase(), type: each.type ?? "",
    name: (each.getAttribute("aria-label") ?? each.labels?.[0]?.textContent ?? each.textContent).trim() };
});

// Presses Tab until what has the focus is so; throws where the focus has gone round.
async function tabTo(view, isWanted) {
  const seen = [];
  for (let presses = 0; presses < 200; ++presses) {
    await view.page.keyboard.press("Tab");
    const now = await focused(view);
    if (isWanted(now)) return now;
    seen.push(now.name);
  }
  throw new Error(`never came to it, but to ${seen.join(", ")}`);
}

test("a run is opened and restarted by keys alone", async () => {
  const run = await it.store.train("live", "--replicas", "1");
  const view = await it.browser.open("/");
  await view.row("live");
  await tabTo(view, (each) => each.role === "a" && each.name.startsWith("live"));
  const outline = await view.page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "the focus is to be seen");
  await view.page.keyboard.press("Enter");
  await view.sees("Training on 1 replica");
  await tabTo(view, (each) => each.type === "radio" || each.role === "radio");
  await view.page.keyboard.press("ArrowRight");
  await tabTo(view, (each) => each.name === "Restart on 2 replicas");
  await view.page.keyboard.press("Enter");
  await view.sees("Training on 2 replicas");
  const { generations } = await it.store.json("show", run);
  assert.deepEqual(generations.map((each) => each.replicas), [1, 2]);
});
