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

// The recorded sweep a hundred times over, each trial at a place of its own.
const multiplied = () => {
  const fetched = window.fetch;
  window.fetch = async (path, ...rest) => {
    const answer = await fetched(path, ...rest);
    if (!String(path).startsWith("/api/sweeps/")) return answer;
    const sweep = await answer.json();
    const again = (list) => Array.from({ length: 100 }, (_, copy) => list.map((each) => ({ ...each, trial: each.trial + copy * sweep.trials.length }))).flat();
    const trials = again(sweep.trials).map((trial, i) => ({ ...trial, parameters: { ...trial.parameters, lr: String(0.001 + i * 1e-5) } }));
    return new Response(JSON.stringify({ ...sweep, trials, legs: again(sweep.legs) }));
  };
};

test("600 trials are 600 lines, of which the pointer picks one, and a table of the first 500", async () => {
  const view = await it.browser.open("/sweeps");
  await view.page.evaluateOnNewDocument(multiplied);
  await view.page.goto(new URL("/sweeps/digits-sweep", it.server.url).href);
  await view.sees("The first 500 of 600.");
  assert.equal(await rows(view), 500);
  const drawn = await view.page.$eval(".parallel canvas", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length / (canvas.width * canvas.height);
  });
  assert.ok(drawn > 0.2, `lines cover ${drawn} of the plot`);
  const { x, y, height } = await (await view.page.$('[data-axis="lr"] .grab')).boundingBox();
  await view.page.mouse.move(x + 60, y + 0.5 * height);
  await view.until(() => document.querySelector(".parallel .tip").innerText.startsWith("Trial") && document.querySelector(".pointed .line, .pointed .best"));
  // By its attribute: to look through so large a page by roles takes Firefox minutes on a busy machine.
  await view.page.$eval('[role="slider"][aria-label="Brush of lr"]', (each) => each.focus());
  await view.page.keyboard.press("ArrowUp");
  await view.until(() => /^\d+ of 600$/m.test(document.body.innerText));
  assert.ok(await view.page.$$eval(".figure:not(.parallel) path", (paths) => paths.length) < 200);
  view.assertSound();
});
