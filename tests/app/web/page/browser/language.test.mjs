// SPDX-License-Identifier: Apache-2.0
// The page in another language: a made-up one, which has each text in brackets and a third longer. What is read without
// brackets was not asked for from the translators; what is cut had no room for longer words.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { after, before, test } from "node:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { setUp } from "./support/case.mjs";
import { VIEWS } from "./support/views.mjs";

const TOOL = fileURLToPath(new URL("../../../../../tools/words.py", import.meta.url));

let words;
before(async () => {
  words = await mkdtemp(join(tmpdir(), "words-"));
  await promisify(execFile)("python3", [TOOL, "--made-up", words]);
  Object.assign(process.env, { BATCHSCOPE_WORDS: words, BATCHSCOPE_LANGUAGE: "xx" });
});
after(() => rm(words, { recursive: true, force: true }));

const it = setUp();

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

function cutTexts() {
  const within = document.querySelector("dialog[open]") ?? document.body;
  return [...within.querySelectorAll("a, button, dd, dt, h1, h2, h3, label, option, p, select, span, strong, summary")]
    .filter((each) => each.checkVisibility() && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
    .map((each) => `${each.tagName}.${each.className}: ${each.textContent.trim()}: ${each.scrollWidth} of ${each.clientWidth} px`);
}

// Words of the data: a person gave them, a program or a supervisor recorded them, filters and files take them as they are.
// Recipes and lessons have their own language.
const FIXED = ["BatchScope", "PNG", "SVG", "CSV", "JSON", "TOML", "Enter", "Delete", "samples/s", "ASHA", "PBT"];
const TRANSLATED = ["shown", "charts", "readout", "series", "usual", "status", "last_restart"]; // fields of answers

function stringsIn(value, found) {
  if (typeof value === "string") for (const line of value.split(/[\n,·:]/)) found.add(line.trim());
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
  const parts = rest.split(/[\n,·:×≈()]/).map((part) => part.replace(/^BatchScope [\d.]+\S*$/, "").trim());
  return parts.some((part) => /\p{L}{3,}/u.test(part) && !/^[\d.−]+ (min|ms|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$/.test(part) && !data.has(part));
}

async function check(view) {
  await new Promise((resolve) => setTimeout(resolve, 500)); // for answers that are still to come
  const data = await dataWords();
  const bare = (await view.page.evaluate(textsOf)).filter((text) => isBare(text, data));
  const cut = await view.page.evaluate(cutTexts);
  const beyond = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.deepEqual(bare, []);
  assert.deepEqual(cut, []);
  assert.equal(beyond, 0);
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
