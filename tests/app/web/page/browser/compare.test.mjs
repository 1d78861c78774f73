// SPDX-License-Identifier: Apache-2.0
// Runs are ticked in the list and compared: the same charts, a line for each, their values and differences.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("two runs of the list are compared", async () => {
  const view = await it.browser.open("/");
  const ids = [];
  for (const name of ["baseline", "faster"]) {
    ids.push(await it.store.idOf(name));
    await (await view.find(`Compare ${name}`, "checkbox")).click();
  }
  await view.press("Compare 2 runs", "link");
  for (const id of ids) await view.chart("loss", id);
  const differences = await view.until(() => {
    const rows = [...document.querySelectorAll('table[aria-label="Hyperparameters"] tbody tr')].map((row) => row.innerText.split("\t"));
    return rows.length > 0 && rows;
  });
  assert.deepEqual(differences.map((row) => row[0]), ["lr"]);
  assert.equal(Number(differences[0][2]), 0.02);
  assert.equal(new URL(view.page.url()).searchParams.get("runs"), ids.join(","));
  const landmarks = await view.page.$$eval('section[aria-label], [role="region"]', (all) => all.map((each) => each.ariaLabel));
  assert.deepEqual(landmarks, [...new Set(landmarks)]);
  view.assertSound();
});

test("compared runs say why they scaled", async () => {
  const ids = [await it.store.idOf("faster"), await it.store.idOf("baseline")];
  const view = await it.browser.open(`/compare?runs=${ids.join(",")}`);
  const titles = await view.until(() => {
    const cards = [...document.querySelectorAll(".compared-figures .card")];
    return cards.length > 0 && cards.every((card) => card.querySelector("svg")) && cards.map((card) => card.ariaLabel);
  });
  assert.deepEqual(titles, ["Accuracy over samples", "Accuracy by epoch", "Accuracy over time", "Time to accuracy"]);
  const keys = () => view.page.$$eval('[data-figure="accuracy-over-samples"] .key', (all) => all.map((each) => [each.textContent, each.querySelector("i").style.color]));
  assert.deepEqual(await keys(), [["faster", "var(--run-1)"], ["baseline", "var(--run-2)"]]);
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Remove faster");
  await view.until(() => document.querySelectorAll('[data-figure="accuracy-over-samples"] .key').length < 2);
  view.assertSound();
});

test("a run is taken out, and another one put in", async () => {
  const [baseline, faster] = [await it.store.idOf("baseline"), await it.store.idOf("faster")];
  const view = await it.browser.open(`/compare?runs=${baseline}`);
  await view.chart("loss", baseline);
  await view.page.waitForFunction((id) => document.querySelector(`option[value="${id}"]`), {}, faster);
  await view.page.select('select[aria-label="Add a run"]', faster);
  await view.chart("loss", faster);
  await view.press("Remove baseline");
  await view.until((id) => !(id in document.querySelector('figure.chart[data-chart="loss"]').chart.data()), baseline);
  await view.until((id) => new URLSearchParams(location.search).get("runs") === id, faster);
  view.assertSound();  // each of the two was alone for a while, without a supervisor
});

test("a run that is unknown is named, and the others are kept up to date", async () => {
  const view = await it.browser.open(`/compare?runs=${await it.store.idOf("baseline")},nothere0`);
  await view.sees("there is no run nothere0");
  await view.until(() => document.documentElement.dataset.connection === "live");
  assert.doesNotMatch(await view.text(), /connection is lost/);
});
