// SPDX-License-Identifier: Apache-2.0
// The page in another language: a made-up one, which has each text in brackets and a third longer. What is read without
// brackets was not asked for from the translators; what is cut had no room for longer words.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { after, test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { setUp } from "./support/case.mjs";
import { VIEWS } from "./support/views.mjs";

const TOOL = fileURLToPath(new URL("../../../../../tools/words.py", import.meta.url));

const words = await mkdtemp(join(tmpdir(), "words-"));
await promisify(execFile)("python3", [TOOL, "--made-up", words]);
Object.assign(process.env, { BATCHSCOPE_WORDS: words, BATCHSCOPE_LANGUAGE: "xx" });

const it = setUp();
after(() => rm(words, { recursive: true, force: true }));

const made = (text) => `[${text}${"~".repeat(Math.floor(text.length / 3))}]`;

// Texts of the page, and the names of what those have that are no text. One that is in parts counts as a whole.
function textsOf() {
  const within = document.querySelector("dialog[open]") ?? document.body;
  const count = (text, sign) => text.split(sign).length;
  const found = new Set([document.title]);
  const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    let text = texts.currentNode.data;
    let around = texts.currentNode.parentElement;
    if (around.closest("script, code, pre, .lesson-text, .lesson-row, .lesson-panel h1, .question-choices")) continue;
    for (; count(text, "[") !== count(text, "]"); around = around.parentElement) text = around.textContent;
    found.add(text.trim());
  }
  for (const each of within.querySelectorAll("*")) {
    for (const name of ["aria-label", "aria-valuetext", "placeholder", "title"]) found.add(each.getAttribute(name) ?? "");
  }
  return [...found];
}

// Texts that are cut, but for those that end in "…" and are shown whole to whoever points at them.
function cutTexts() {
  const within = document.querySelector("dialog[open]") ?? document.body;
  return [...within.querySelectorAll("a, button, dd, dt, h1, h2, h3, label, option, p, select, span, strong, summary")]
    .filter((each) => each.checkVisibility() && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).textOverflow !== "ellipsis")
    .map((each) => `${each.tagName}.${each.className}: ${each.textContent.trim()}: ${each.scrollWidth} of ${each.clientWidth} px`);
}

// Words of the data: a person gave them, a program or a supervisor recorded them, filters and files take them as they are.
// Recipes and lessons have their own language.
const FIXED = ["BatchScope", "PNG", "SVG", "CSV", "JSON", "TOML", "Enter", "Delete", "samples/s", "ASHA", "PBT",
  "linear regression", "predicted_gain"]; // the last two of a lesson
const MONTH = "(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const FORMS = new RegExp(`^[\\d.−]+ (min|ms|${MONTH})$|^${MONTH} \\d+$|^(checkpoints|logs|tensorboard)/`); // times, files
const TRANSLATED = ["shown", "charts", "readout", "series", "usual", "status", "last_restart"]; // fields of answers

// Returns the parts between the signs of a text, without the number that it ends with.
const partsOf = (text) => text.split(/[\n,·:×≈()]/).map((part) => part.trim().replace(/ [+]?[\d.]+( %)?$| –$/, "").trim());

function stringsIn(value, found) {
  if (typeof value === "string") for (const part of partsOf(value)) found.add(part);
  else for (const [name, each] of Object.entries(value ?? {})) {
    if (TRANSLATED.includes(name)) continue;
    found.add(name).add(name.replaceAll("_", " "));
    stringsIn(each, found);
  }
}

async function dataWords() {
  const ask = async (path) => (await fetch(it.server.at(path), { headers: { Authorization: `Bearer ${it.server.token}` } })).json();
  const { runs } = await ask("/api/runs");
  const paths = ["/api/about", "/api/runs", "/api/recipes", "/api/queue", "/api/decisions", "/api/sweeps", "/api/sweeps/digits-sweep",
    "/api/lessons", "/api/lessons/1-gain",
    ...runs.map(({ id }) => `/api/runs/${id}`)];
  const found = new Set(FIXED);
  for (const path of paths) stringsIn(await ask(path), found);
  return found;
}

// Returns whether the text has words of the page outside of brackets.
function isBare(text, data) {
  let rest = text;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(/\[[^[\]]*\]/g, "");
  }
  return partsOf(rest).some((part) => /\p{L}{3,}/u.test(part) && !FORMS.test(part) && !data.has(part));
}

// Scrolling places that are narrower than what is in them, and names and buttons that lie below others.
function hidden() {
  const within = document.querySelector("dialog[open]") ?? document.body;
  const isSeen = (each) => {
    const box = each.getBoundingClientRect();
    for (let around = each.parentElement; around; around = around.parentElement) {
      const place = around.getBoundingClientRect();
      if (getComputedStyle(around).overflowX !== "visible" && (box.left < place.left || box.right > place.right || box.top < place.top || box.bottom > place.bottom)) return false;
    }
    return each.checkVisibility() && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  };
  const isBelow = (each) => {
    const box = each.getBoundingClientRect();
    const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    return !each.contains(top) && !top.contains(each);
  };
  const tooNarrow = [...within.querySelectorAll("aside, form, main, section")].filter((each) => getComputedStyle(each).overflowX === "auto" && each.scrollWidth > each.clientWidth);
  const below = [...within.querySelectorAll("a, button, h1, h2, h3, select, [role=status]")].filter((each) => each.textContent && isSeen(each) && (each.clientWidth === 0 && getComputedStyle(each).display !== "inline" || isBelow(each)));
  return [...tooNarrow, ...below].map((each) => `${each.tagName}.${each.className}: ${each.textContent.slice(0, 60)}`);
}

async function check(view) {
  await new Promise((resolve) => setTimeout(resolve, 500)); // for answers that are still to come
  const data = await dataWords();
  const bare = (await view.page.evaluate(textsOf)).filter((text) => isBare(text, data));
  const cut = await view.page.evaluate(cutTexts);
  const beyond = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const lost = await view.page.evaluate(hidden);
  assert.deepEqual({ bare, cut, lost, beyond }, { bare: [], cut: [], lost: [], beyond: 0 });
  view.assertSound();
}

const ofRun = async (tail = "") => `/run/${await it.store.idOf("baseline")}${tail}`;

for (const { name, path, shows } of VIEWS) {
  test(`${name} is translated and has room`, async () => {
    if (name === "queue") await it.store.ask("submit", "digits", "--name", "waiting", "--hold");
    const view = await it.browser.open(await path(it.store));
    await view.sees(shows);
    await check(view);
  });
}

for (const [path, ...names] of [
  [async () => "/", "New run …"],
  [ofRun, "Edit", "Share", "Download", "Clone"],
  [async () => "/sweeps", "Begin a sweep …"],
  [async () => "/sweeps/digits-sweep", "Remove …"],
]) {
  for (const name of names) {
    test(`the dialog ${name} is translated and has room`, async () => {
      const view = await it.browser.open(await path());
      await view.press(made(name));
      await view.until(() => document.querySelector("dialog[open]"));
      await check(view);
    });
  }
}

test("the controls of a run that trains are translated and have room", async () => {
  const view = await it.browser.open(`/run/${await it.store.train("live", "--replicas", "1")}`);
  await view.sees("[Measured now");
  await check(view);
});

test("a text that ends in … is shown whole to whoever points at it", async () => {
  const view = await it.browser.open(await ofRun());
  await view.sees(made("accumulation"));
  const label = await view.page.waitForSelector(`::-p-xpath(//*[@class="legend-label"][.="${made("accumulation")}"])`);
  assert.equal(await label.evaluate((each) => each.title), "");
  await label.hover();
  await view.until((each) => each.title === each.textContent, label);
});

test("the list of keys is translated", async () => {
  const view = await it.browser.open(await ofRun());
  await view.sees(made("Explorer"));
  await view.page.keyboard.press("?");
  await view.until(() => document.querySelector("dialog[open]"));
  await check(view);
});

test("a recording is in the language of who writes it", async () => {
  const file = join(it.store.folder, "recording.html");
  await it.store.ask("export", await it.store.idOf("baseline"), "--format", "html", "--output", file);
  const view = await it.browser.openFile(pathToFileURL(file).href);
  await view.sees(made("Explorer"));
  await check(view);
});

test("who has no token is told so in that language", async () => {
  const answer = await fetch(it.server.at("/"), { headers: { Accept: "text/html" } });
  const text = await answer.text();
  assert.match(text, /<html lang="xx">/);
  assert.ok(text.includes(`<h1>${made("The token is missing")}</h1>`));
});
