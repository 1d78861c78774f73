// SPDX-License-Identifier: Apache-2.0
// Series that the server computes from recorded ones are drawn as if they had been recorded: of a run that has ended, of one
// that trains, and in a recording.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { setUp } from "./support/case.mjs";

const it = setUp();

const RULES = ["factor:linear", "factor:sqrt", "factor:legw", "factor:adascale", "factor:adamscale", "lr_factor"];

// Asserts that each rule has a line, and that lines agree where they must: step by step.
async function assertRules(view) {
  const lines = {};
  for (const rule of RULES) lines[rule] = (await view.chart("rules", rule)).pieces;
  lines["factor:linear"].forEach((linear, generation) => {
    const sqrt = lines["factor:sqrt"][generation];
    const adascale = lines["factor:adascale"][generation];
    assert.ok(linear.mean.length > 3);
    linear.mean.forEach((scale, i) => {
      if (linear.count[i] > 1) return;
      assert.ok(Math.abs(sqrt.mean[i] - Math.sqrt(scale)) < 1e-5 * scale, `square root of ${scale}: ${sqrt.mean[i]}`);
      assert.ok(adascale.mean[i] > 1 - 1e-5 && adascale.mean[i] < scale + 1e-5, `AdaScale at ${scale}: ${adascale.mean[i]}`);
    });
  });
}

test("the menu of charts has the rules, which are compared on the recorded statistics", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  await view.chart("loss");
  await (await view.page.$(".view-controls details.menu summary")).click();
  await (await view.find("Rules", "checkbox")).click();
  await assertRules(view);
  await view.chart("step-time", "step_time-sync_time");
  await view.chart("learning-rate", "lr/lr_factor");
  // The names of its many lines leave the unit its room.
  const { scrollWidth, clientWidth } = await view.page.$eval('[data-chart="rules"] .chart-unit', (unit) => ({ scrollWidth: unit.scrollWidth, clientWidth: unit.clientWidth }));
  assert.ok(clientWidth > 0 && scrollWidth <= clientWidth, `${scrollWidth} of the unit in ${clientWidth}`);
  view.assertSound();
});

test("they grow while the run trains", async () => {
  const run = await it.store.train("live", "--replicas", "2");
  const view = await it.browser.open(`/run/${run}?x=step&charts=rules`);
  const newest = (pieces) => pieces.at(-1).x1.at(-1);
  for (const rule of RULES) {
    const before = newest((await view.chart("rules", rule)).pieces);
    await view.until((of, key, last) => document.querySelector(of).chart.data()[key].at(-1).x1.at(-1) > last,
      'figure.chart[data-chart="rules"]', rule, before);
  }
  await assertRules(view);
  view.assertSound();
});

test("a recording has them", async () => {
  const file = join(it.store.folder, "recording.html");
  const run = await it.store.idOf("baseline");
  await it.store.ask("export", run, "--format", "html", "--output", file);
  const view = await it.browser.openFile(`${pathToFileURL(file).href}#/run/${run}?charts=rules`);
  await assertRules(view);
  view.assertSound();
});
