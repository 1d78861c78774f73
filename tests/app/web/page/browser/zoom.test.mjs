// SPDX-License-Identifier: Apache-2.0
// A stretch that is dragged on one chart is what all of them show; the address keeps it. So it does a logarithmic axis.
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

test("the horizontal axis is logarithmic by a button and by a key, and the noise scale's always is", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}?x=step`);
  const from = (name) => view.until((of) => document.querySelector(of)?.chart?.frames > 0 && document.querySelector(of).chart.range()[0], `figure.chart[data-chart="${name}"]`);
  const begins = (name, at) => view.until((of, first) => document.querySelector(of).chart.range()[0] === first, `figure.chart[data-chart="${name}"]`, at);
  await view.chart("loss");
  await view.chart("noise", "noise_scale");
  await begins("loss", 0);
  assert.equal(await from("noise"), 1);

  await view.press("Log x");
  await begins("loss", 1);
  await view.until(() => new URLSearchParams(location.search).get("logx") === "1");
  await view.page.reload();
  await view.chart("loss");
  assert.equal(await from("loss"), 1);

  const plot = await view.page.$('figure.chart[data-chart="loss"] .u-over');
  const { x, y, width, height } = await plot.boundingBox();
  const { mouse } = view.page;
  await mouse.move(x + width * 0.5, y + height / 2);
  await mouse.down();
  await mouse.move(x + width * 0.75, y + height / 2, { steps: 5 });
  await mouse.up();
  await view.until(() => new URLSearchParams(location.search).has("from"));
  const { last_step: last } = (await it.store.json("show", "baseline")).generations.at(-1);
  const [low, high] = await view.page.$eval('figure.chart[data-chart="loss"]', (chart) => chart.chart.range());
  assert.ok(Math.abs(Math.log(low) / Math.log(last) - 0.5) < 0.02 && Math.abs(Math.log(high) / Math.log(last) - 0.75) < 0.02, `${low} to ${high} of ${last}`);

  await view.page.keyboard.press("0");
  await view.page.keyboard.press("L");
  await begins("loss", 0);
  view.assertSound();
});
