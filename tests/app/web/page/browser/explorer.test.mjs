// SPDX-License-Identifier: Apache-2.0
// The goodput explorer: the slider chooses how many replicas are looked at, and the button restarts the run on them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

const predicted = () => document.querySelector('table[aria-label="Measured and predicted"] tbody tr td:last-child')?.innerText;

test("the slider, by keys, chooses what is predicted, and the address keeps it", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}/explorer?replicas=1`);
  const before = await view.until(() => {
    const text = document.querySelector('table[aria-label="Measured and predicted"] tbody tr td:last-child')?.innerText;
    return text?.startsWith("≈") && text;
  });
  await (await view.find("Number of replicas", "slider")).focus();
  await view.page.keyboard.press("ArrowRight");
  await view.until((one) => {
    const text = document.querySelector('table[aria-label="Measured and predicted"] tbody tr td:last-child')?.innerText;
    return text.startsWith("≈") && text !== one;
  }, before);
  await view.sees("2 replicas");
  await view.until(() => new URLSearchParams(location.search).get("replicas") === "2");
  const after = await view.page.evaluate(predicted);
  await view.page.reload();
  await view.until((text) => document.body.innerText.includes(text), after);
  view.assertSound();
});

test("what is looked at is done by the button", async () => {
  const run = await it.store.train("explored", "--replicas", "1");
  const view = await it.browser.open(`/run/${run}/explorer?replicas=2`);
  await view.press("Restart on 2 replicas");
  await view.sees("Training on 2 replicas");
  const { generations } = await it.store.json("show", run);
  assert.deepEqual(generations.map((each) => each.replicas), [1, 2]);
});
