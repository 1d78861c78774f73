// SPDX-License-Identifier: Apache-2.0
// A run's link opens its page in another browser, with nothing that leads to other runs, and nothing to press.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("who has the link sees the run, and no other", async () => {
  const [run, other] = [await it.store.idOf("baseline"), await it.store.idOf("faster")];
  const owner = await it.browser.open(`/run/${run}`);
  await owner.press("Share");
  const link = new URL(await owner.until(() => document.querySelector('input[aria-label="Link"]')?.value));
  await owner.sees("and at no other");
  assert.deepEqual(await owner.accessibilityFaults(), []);

  const guest = { url: it.server.url, token: link.searchParams.get("token") };
  const view = await it.browser.open(link.pathname, { by: guest });
  await view.chart("loss");
  await view.until(() => document.querySelector(".bar nav").hidden && document.querySelector(".beside").hidden);
  const words = await view.text();
  assert.ok(words.includes("baseline") && !words.includes("faster"), words);
  assert.equal(await view.page.$("section.control"), null);
  await view.press("Explorer", "link");
  await view.sees("baseline");

  const elsewhere = await it.browser.open(`/run/${other}`, { by: guest });
  await elsewhere.sees("baseline");
  assert.ok(!(await elsewhere.text()).includes("faster"));
});
