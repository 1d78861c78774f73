// SPDX-License-Identifier: Apache-2.0
// The sweep: its trials in a table that brushes and words filter, and from there to a run or a comparison.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE } from "./support/browser.mjs";
import { setUp } from "./support/case.mjs";

const it = setUp();

const rows = (view) => view.page.$$eval('table[aria-label="Trials"] tbody tr', (all) => all.length);

async function open() {
  const view = await it.browser.open("/sweeps");
  await (await view.find("digits-sweep", "link")).click();
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length === 6);
  return view;
}

test("a brush, dragged along an axis, leaves the trials within it", async () => {
  const view = await open();
  const axis = await view.page.$('[data-axis="lr"] .grab');
  const { x, y, width, height } = await axis.boundingBox();
  await view.page.mouse.move(x + width / 2, y + 1);
  await view.page.mouse.down();
  await view.page.mouse.move(x + width / 2, y + height * 0.4, { steps: 4 });
  await view.page.mouse.up();
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length < 6);
  const rates = await view.page.$$eval('table[aria-label="Trials"] tbody tr', (all) => all.map((row) => Number(row.cells[3].innerText)));
  assert.ok(rates.length > 0 && rates.every((rate) => rate > 0.004), `learning rates within the brush: ${rates}`);
  await view.press("Clear brushes");
  assert.equal(await rows(view), 6);
  view.assertSound();
});

test("a brush goes by keys, too", async () => {
  const view = await open();
  await (await view.find("Brush of lr", "slider")).evaluate((each) => each.focus());
  await view.page.keyboard.press("ArrowUp");
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length < 6);
  await view.page.keyboard.press("Escape");
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length === 6);
});

test("on a phone a finger brushes", async () => {
  const view = await it.browser.open("/sweeps/digits-sweep", { viewport: PHONE });
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length === 6);
  const { x, y, width, height } = await (await view.page.$('[data-axis="lr"] .grab')).boundingBox();
  const { touchscreen } = view.page;
  await touchscreen.touchStart(x + 0.5 * width, y + height / 2);
  for (const part of [0.6, 0.7, 0.8, 0.9]) await touchscreen.touchMove(x + part * width, y + height / 2);
  await touchscreen.touchEnd();
  await view.until(() => /to 90 percent/.test(document.querySelector('[data-axis="lr"]').getAttribute("aria-valuetext")));
});

test("words filter the table, and two trials are compared", async () => {
  const view = await open();
  await view.page.type('input[aria-label="Filter trials"]', "linear");
  await view.until(() => document.querySelectorAll('table[aria-label="Trials"] tbody tr').length === 3);
  for (const box of (await view.page.$$('table[aria-label="Trials"] input')).slice(0, 2)) await box.click();
  await view.press("Compare 2");
  await view.until(() => location.pathname === "/compare" && document.querySelectorAll(".run-chips li").length === 2);
});
