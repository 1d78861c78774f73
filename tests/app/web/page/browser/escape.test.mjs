// SPDX-License-Identifier: Apache-2.0
// A run's name, note, tag and log are text, whatever stands in them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";
import { ATTACK } from "./support/attack.mjs";

const it = setUp();

for (const [name, path] of [
  ["the list", () => "/"],
  ["the run", (run) => `/run/${run}`],
  ["its log", (run) => `/run/${run}/log`],
  ["the comparison", (run, other) => `/compare?runs=${run},${other}`],
]) {
  test(`${name} shows markup as text`, async () => {
    const run = await it.store.idOf(ATTACK);
    const view = await it.browser.open(path(run, await it.store.idOf("baseline")));
    await view.sees("<img src=x");
    assert.equal(await view.page.evaluate(() => window.attacked), undefined);
    assert.equal(await view.page.evaluate(() => document.querySelectorAll('img[src="x"]').length), 0);
    view.assertSound();
  });
}
