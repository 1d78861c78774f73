// SPDX-License-Identifier: Apache-2.0
// Lessons: their list, every page of every lesson with the recorded run that it speaks of, a question, the training that a
// page offers, and what a person sees whose token may not take the recorded runs in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Server } from "./support/server.mjs";
import { setUp } from "./support/case.mjs";

const it = setUp();

const pointed = (view) => view.until(() => {
  const [one, ...others] = document.querySelectorAll(".is-pointed");
  return one && others.length === 0 && (one.dataset.chart ?? one.dataset.figure);
});

async function ask(path, by = it.server) {
  return (await fetch(by.at(path), { headers: { Authorization: `Bearer ${by.token}` } })).json();
}

test("who may not control is told who can take the runs in", async () => {
  const looking = await Server.start(it.store, "--read-only");
  const view = await it.browser.open("/lessons/1-gain", { by: looking });
  await view.sees("Sixteen times the samples");
  await view.sees("not in the store yet");
  await view.page.goto(looking.at("/lessons/1-gain?page=2"));
  await view.sees("At step 20 the gain is ….");
  view.assertSound();
  await looking.kill("SIGTERM");
});

test("a lesson is read to its end", async () => {
  const view = await it.browser.open("/lessons");
  await (await view.page.waitForSelector("::-p-xpath(//a[contains(@class,'lesson-row')][.//strong[.='What gain is']])")).click();
  await view.sees("What gain is · 1 of 5");
  assert.equal(await pointed(view), "gain");
  await view.press("Next", "link");
  await view.sees(/At step 20 the gain is [\d.]+\./);
  const { range } = await view.chart("gain");
  assert.ok(range[0] >= 1 && range[1] <= 200, `the first steps are shown, not ${range}`);
  await view.press("It doubles");
  await view.sees("Not quite. Only σ²/S shrinks");
  await view.press("It hardly grows");
  await view.sees("Right. σ²/S is small");
  // The zoom of a lesson stays out of its address.
  assert.equal(new URL(view.page.url()).search, "?page=2");
  for (let page = 3; page <= 5; ++page) {
    await view.page.keyboard.press("n");
    await view.sees(`${page} of 5`);
  }
  await view.press("Finish");
  await view.sees("✓ done");
  view.assertSound();
});

test("a page offers the training that it speaks of", async () => {
  const view = await it.browser.open("/lessons/2-linear-scaling?page=4");
  await view.sees("batchscope run --recipe digits --replicas 2");
  await view.press("Run it live …");
  await view.until(() => document.getElementById("field-values-epochs"));
  const value = (name) => view.page.$eval(`#field-${name}`, (each) => each.value);
  assert.equal(await value("values-scaling-rule"), "linear");
  assert.equal(await value("values-epochs"), "12");
  assert.equal(await value("replicas"), "2");
  view.assertSound();
});

test("a person moves devices from one run to the other", async () => {
  const { lessons } = await ask("/api/lessons");
  const { name } = lessons.find((each) => each.name.startsWith("7-"));
  const { pages } = await ask(`/api/lessons/${name}`);
  const page = pages.findIndex((each) => each.stage.share) + 1;
  const view = await it.browser.open(`/lessons/${name}?page=${page}`);
  await view.sees("Against half of the devices");
  const cells = () => view.page.$$eval(".sharing tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const half = await cells();
  assert.deepEqual(half.map(([, devices, , speedup]) => [devices, speedup]), [["4", "× 1"], ["4", "× 1"], ["8", "× 1"]]);
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Largest sum");
  const sum = await cells();
  const amount = (text) => Number(text.replaceAll(",", ""));
  assert.ok(amount(sum[2][2]) > amount(half[2][2]), `${sum[2][2]} is more than ${half[2][2]}`);
  await (await view.page.$(".sharing input[type=range]")).focus();
  await view.page.keyboard.press("Home");
  assert.equal((await cells())[0][1], "0");
  await view.page.keyboard.press("ArrowRight");
  assert.equal((await cells())[0][1], "1");
  assert.match(await view.page.$eval(".sharing svg", (each) => each.getAttribute("aria-label") ?? each.closest("[aria-label]").ariaLabel), /1 and 7 devices/);
  // Dragging across the figure moves them, too, and keeps to whole devices.
  const figure = await (await view.page.$(".sharing .figure")).boundingBox();
  const [middle, height] = [figure.x + figure.width / 2, figure.y + figure.height / 2];
  await view.page.mouse.move(middle, height);
  await view.page.mouse.down();
  await view.until(() => document.querySelector(".sharing tbody td").textContent === "4");
  await view.page.mouse.move(figure.x + figure.width + 8, height, { steps: 4 });
  await view.until(() => document.querySelector(".sharing tbody td").textContent === "8");
  await view.page.mouse.up();
  await view.page.mouse.move(middle, height);
  assert.equal((await cells())[0][1], "8", "a pointer without its button moves nothing");
  view.assertSound();
});

test("each page of each lesson has its run, and no number is missing", async () => {
  const { lessons } = await ask("/api/lessons");
  assert.ok(lessons.length >= 11);
  const view = await it.browser.open("/lessons");
  for (const { name, pages } of lessons) {
    // Firefox takes five times as long for a page: there the first of each lesson.
    for (let page = 1; page <= (process.env.FIREFOX ? 1 : pages); ++page) {
      await view.page.goto(it.server.at(`/lessons/${name}?page=${page}`));
      const lesson = await view.until((at) => document.querySelector(".lesson-panel")?.innerText.includes(at) && document.querySelector(".lesson-panel").innerText, `${page} of ${pages}`);
      assert.doesNotMatch(lesson, /[{}]|\*\*|…\.|`/, `${name}, page ${page}`);
      const { stage, title } = (await ask(`/api/lessons/${name}`)).pages[page - 1];
      assert.ok(lesson.includes(title));
      if (stage.highlight) assert.ok(await pointed(view), `${name}, page ${page}`);
      await view.until(() => document.querySelector(".lesson-head a")?.textContent);
    }
  }
  view.assertSound();
  const { runs } = await ask("/api/runs");
  assert.ok(!runs.some((run) => run.tags.some((tag) => tag.startsWith("lesson:"))), "recorded runs are in no list");
});
