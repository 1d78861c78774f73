// SPDX-License-Identifier: Apache-2.0
// A stretch that is dragged on one chart is what all of them show; the address keeps it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const ranges = (view) => view.page.$$eval("figure.chart", (charts) => charts.map((each) => each.chart.range().map(Math.round).join("-")));

test("zoom is linked, kept in the address and taken back", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  await view.chart("loss");
  const whole = await ranges(view);
  const plot = await view.page.$('figure.chart[data-chart="loss"] .u-over');
  const { x, y, width, height } = await plot.boundingBox();
  const { mouse } = view.page;
  await mouse.move(x + width * 0.25, y + height / 2);
  await mouse.down();
  await mouse.move(x + width * 0.5, y + height / 2, { steps: 5 });
  await mouse.up();
  await view.until(() => new URLSearchParams(location.search).has("from"));
  const zoomed = await ranges(view);
  assert.equal(new Set(zoomed).size, 1, `all charts show the same: ${zoomed}`);
  assert.notDeepEqual(zoomed, whole);

  await view.page.reload();
  await view.chart("loss");
  assert.deepEqual(await ranges(view), zoomed);
  await view.press("Reset zoom");
  await view.until(() => !new URLSearchParams(location.search).has("from"));
  assert.deepEqual(await ranges(view), whole);
});
