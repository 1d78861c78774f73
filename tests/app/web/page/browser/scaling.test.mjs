// SPDX-License-Identifier: Apache-2.0
// Why it scaled: the figures of the window, of a run that was restarted, and in a recording.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { setUp } from "./support/case.mjs";

const it = setUp();

const FIGURES = ["map", "goodput-over-replicas", "batch-choice", "rate-over-batch", "restarts", "lanes", "predictions",
  "accuracy-over-samples", "accuracy-by-epoch", "accuracy-over-time", "time-to-accuracy"];

const names = (view) => view.until((count) => {
  const cards = [...document.querySelectorAll("[data-figure]")];
  return cards.length === count && cards.map((each) => each.dataset.figure);
}, FIGURES.length);
const described = (view, name) => view.until((of) => document.querySelector(`[data-figure="${of}"] svg`)?.getAttribute("aria-label"), name);

test("a run's page leads to the figures, which describe what they show", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  await (await view.find("Why it scaled", "link")).click();
  assert.deepEqual(await names(view), FIGURES);
  assert.match(await described(view, "batch-choice"), /^The batch size went from \d/);
  assert.match(await described(view, "restarts"), /^\d+ restarts?, paused for /);
  assert.match(await described(view, "lanes"), /went into computing and /);
  assert.match(await described(view, "accuracy-over-samples"), /% in the end$/);
  view.assertSound();
});

test("the map has a cell for each batch size and number of replicas, which says what is predicted there", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}/scaling`);
  assert.match(await described(view, "map"), /^Predicted goodput is highest with \d+ replicas? and batch size /);
  const cells = await view.page.$$('[data-figure="map"] svg rect');
  assert.ok(cells.length > 20, `${cells.length} cells`);
  const { x, y, width, height } = await cells[cells.length - 1].boundingBox();
  await view.page.mouse.move(x + width / 2, y + height / 2);
  await view.until(() => {
    const tip = document.querySelector('[data-figure="map"] .tip');
    return tip !== null && !tip.hidden && /replica/.test(tip.textContent);
  });
  assert.match(await view.page.$eval('[data-figure="map"] .keys', (each) => each.textContent), /predicted best.*the run/);
  view.assertSound();
});

test("a recording has them", async () => {
  const file = join(it.store.folder, "recording.html");
  const run = await it.store.idOf("baseline");
  await it.store.ask("export", run, "--format", "html", "--output", file);
  const view = await it.browser.openFile(`${pathToFileURL(file).href}#/run/${run}/scaling`);
  assert.deepEqual(await names(view), FIGURES);
  assert.match(await described(view, "map"), /^Predicted goodput is highest/);
  view.assertSound();
});
