// SPDX-License-Identifier: Apache-2.0
// The list: every run, the filter of `ls --where`, and what a filter that cannot be read says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE } from "./support/browser.mjs";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("a run of the list opens by a click", async () => {
  const view = await it.browser.open("/");
  await (await view.row("baseline")).click();
  await view.until(() => document.querySelector("h1")?.textContent === "baseline");
  assert.equal(new URL(view.page.url()).pathname, `/run/${await it.store.idOf("baseline")}`);
  view.assertSound();
});

test("a filter leaves what it says, and stands in the address", async () => {
  const view = await it.browser.open("/");
  await view.sees("digits-sweep");
  const filter = "replicas = 2 and accuracy > 0.9 and name !~ sweep";
  await view.page.type(view.selector("Find runs"), filter);
  // While it is typed it is another filter, in the list and in the address.
  await view.until((typed) => new URLSearchParams(location.search).get("where") === typed, filter);
  await view.until(() => /baseline/.test(document.body.innerText) && !/digits-sweep/.test(document.body.innerText));
  assert.match(await view.text(), /baseline[^]*faster|faster[^]*baseline/);
  await view.page.reload();
  await view.row("baseline");
  assert.doesNotMatch(await view.text(), /digits-sweep/);
});

test("the trials of a sweep are one row, which a press unfolds", async () => {
  const view = await it.browser.open("/");
  await view.sees(/best accuracy \d+\.\d\d % · 6 trials: /);
  assert.doesNotMatch(await view.text(), /digits-sweep-2/);
  const sweep = await view.page.waitForSelector('button.run-row[aria-expanded="false"]');
  await sweep.click();
  await (await view.row("digits-sweep-2")).focus();
  assert.equal(await view.page.$$eval(".trials .run-row", (rows) => rows.length), 6);
  assert.deepEqual(await view.accessibilityFaults(), []);
  await sweep.focus();
  await view.page.keyboard.press("Enter");
  await view.until(() => document.querySelectorAll(".trials .run-row").length === 0);
  view.assertSound();
});

test("the columns of a sweep stand below those of runs", async () => {
  const view = await it.browser.open("/");
  await view.row("baseline");
  await view.sees(/best accuracy/);
  const places = await view.page.$$eval(".run-row", (rows) => rows.map((row) => [".dot", ".run-replicas", ".run-detail", ".run-created"]
    .map((cell) => row.querySelector(cell).getBoundingClientRect().left)));
  assert.ok(places.length > 2);
  for (const place of places) place.forEach((left, i) => assert.ok(Math.abs(left - places[0][i]) <= 1, `${place} below ${places[0]}`));
});

test("on a phone the name of a sweep stands below those of runs", async () => {
  const view = await it.browser.open("/", { viewport: PHONE });
  await view.row("baseline");
  await view.sees(/best accuracy/);
  const lefts = await view.page.$$eval(".run-row .dot", (dots) => dots.map((dot) => dot.getBoundingClientRect().left));
  assert.ok(lefts.length > 2);
  for (const left of lefts) assert.ok(Math.abs(left - lefts[0]) <= 1, `${lefts}`);
});

test("a run that is not there has no button that can be pressed", async () => {
  const view = await it.browser.open("/run/nothere0");
  await view.sees("there is no run nothere0");
  const pressed = await view.page.$$eval("section.control button, section.control input", (all) => all.filter((each) => !each.disabled && each.checkVisibility()).map((each) => each.textContent));
  assert.deepEqual(pressed, []);
});

test("a filter that names a sweep lists its trials", async () => {
  const view = await it.browser.open("/?where=sweep%3Ddigits-sweep%20and%20trial%3D2");
  await view.row("digits-sweep-2");
  assert.doesNotMatch(await view.text(), /6 trials|digits-sweep-3/);
});

test("a filter that cannot be read says why", async () => {
  const view = await it.browser.open("/?where=accuracy%20%3E");
  const answer = await fetch(it.server.at("/api/runs?where=accuracy%20%3E"), {
    headers: { Authorization: `Bearer ${it.server.token}` },
  });
  assert.equal(answer.status, 400);
  await view.sees((await answer.json()).error.split("\n")[0]);
});
