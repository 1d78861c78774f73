// SPDX-License-Identifier: Apache-2.0
// A chart is saved as a picture, as vectors, as a table and as JSON, by mouse and by keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("a chart is saved in each form", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  const { pieces } = await view.chart("loss");
  await view.press("Save Loss as a table");
  const rows = (await view.saved("baseline-loss.csv")).toString().trimEnd().split("\n");
  assert.match(rows[0], /^line,generation,time from,time to,lowest.*,mean.*,highest.*,samples$/);
  assert.ok(rows.length > pieces.reduce((sum, piece) => sum + piece.x0.length, 0), `${rows.length} rows`);
  assert.deepEqual([...new Set(rows.slice(1).map((row) => row.split(",")[1]))], ["0", "1"]);

  await (await view.find("Save Loss as a picture", "button")).focus();
  await view.page.keyboard.press("Enter");
  await view.press("Save Loss as JSON");
  const { axis, unit, buckets } = JSON.parse(await view.saved("baseline-loss.json"));
  assert.deepEqual([axis, typeof unit, buckets.length], ["time", "string", rows.length - 1]);
  assert.equal(String(buckets[0].mean), rows[1].split(",")[5]);

  await view.press("Save Loss as vectors");
  const vectors = (await view.saved("baseline-loss.svg")).toString();
  const seen = await view.page.evaluate((text) => {
    const drawing = new DOMParser().parseFromString(text, "image/svg+xml");
    return {
      fault: drawing.querySelector("parsererror")?.textContent ?? "",
      words: [...drawing.querySelectorAll("text")].map((each) => each.textContent),
      strokes: [...drawing.querySelectorAll('path[stroke]')].filter((each) => each.getAttribute("d").includes("L")).map((each) => each.getAttribute("stroke")),
      numbers: /NaN|Infinity|undefined/.test(text),
    };
  }, vectors);
  assert.equal(seen.fault, "");
  assert.ok(!seen.numbers, "each place is a number");
  assert.ok(seen.words.some((word) => word.startsWith("Loss")) && seen.words.includes("×2"), seen.words.join());
  assert.ok(new Set(seen.strokes).size >= 3, "axes, grid and lines are drawn");
  // The canvas is as it was: its context has no call of the listener's left.
  assert.deepEqual(await view.page.evaluate(() => Object.keys(document.querySelector("figure.chart canvas").getContext("2d"))), []);

  const picture = await view.saved("baseline-loss.png");
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
  assert.ok(picture.readUInt32BE(16) > 300 && picture.readUInt32BE(20) > 150);
  view.assertSound();
});
