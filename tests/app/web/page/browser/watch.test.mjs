// SPDX-License-Identifier: Apache-2.0
// A run is opened and watched while it trains: its charts grow, and each step is drawn once.
import { test } from "node:test";
import { ATTACK } from "./support/attack.mjs";
import { setUp } from "./support/case.mjs";
import { assertInOrder } from "./support/samples.mjs";

const it = setUp();

test("charts grow while the run trains", async () => {
  const run = await it.store.train("live", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}?x=step`);
  await view.sees("Training on 1 replica");
  await view.chart("loss");
  let newest = 1;
  for (let look = 0; look < 3; ++look) newest = await view.grownBeyond("loss", newest);
  assertInOrder((await view.chart("loss")).pieces);
  view.assertSound();
});

test("a chart of which nothing was recorded says so", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf(ATTACK)}`);
  await view.chart("loss");
  await view.until(() => document.querySelector('[data-chart="goodput"] .plot')?.getAttribute("aria-label") === "Goodput, Not recorded in this run");
  view.assertSound();
});
