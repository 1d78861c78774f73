// SPDX-License-Identifier: Apache-2.0
// `batchscope export --format html` is the page itself: it opens from the disk, without a server and without network.
import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { ATTACK } from "./support/attack.mjs";
import { Browser } from "./support/browser.mjs";
import { Store } from "./support/store.mjs";

const it = {};
before(async () => {
  it.store = await Store.copy();
  it.browser = await Browser.start(null);
});
after(async () => {
  await it.browser?.close();
  await it.store?.close();
});

// Writes the run's recording and opens it, in the place of the one before.
async function opened(name, options) {
  const file = join(it.store.folder, "recording.html");
  await it.store.ask("export", await it.store.idOf(name), "--format", "html", "--output", file, "--force");
  await it.view?.page.close();
  it.view = await it.browser.openFile(pathToFileURL(file).href, options);
  return it.view;
}

const shownRange = (view) => view.page.$eval('figure.chart[data-chart="loss"]', (chart) => chart.chart.range().map(Math.round).join("-"));
const inAddress = (view, name) => view.until((each) => new URLSearchParams(location.hash.split("?")[1]).get(each), name);

test("charts are there, and are zoomed and read", async () => {
  const view = await opened("baseline");
  const { pieces } = await view.chart("loss");
  const samples = pieces.map((piece) => piece.count.reduce((sum, each) => sum + each, 0));
  const { generations } = await it.store.json("show", "baseline");
  assert.deepEqual(samples, generations.map((each) => each.last_step - each.first_step + 1));
  await view.sees("Recorded ");
  await view.sees("Measured, newest step");

  const whole = await shownRange(view);
  const plot = await view.page.$('figure.chart[data-chart="loss"] .u-over');
  const { x, y, width, height } = await plot.boundingBox();
  const { mouse } = view.page;
  await mouse.move(x + width * 0.25, y + height / 2);
  await view.sees("Measured at");
  await mouse.down();
  await mouse.move(x + width * 0.5, y + height / 2, { steps: 5 });
  await mouse.up();
  await inAddress(view, "from");
  const zoomed = await shownRange(view);
  assert.notEqual(zoomed, whole);
  await view.page.reload();
  await view.chart("loss");
  assert.equal(await shownRange(view), zoomed);
  await view.page.keyboard.press("0");
  await view.until((before) => document.querySelector('figure.chart[data-chart="loss"]').chart.range().map(Math.round).join("-") === before, whole);

  await view.page.select('select[aria-label="X axis"]', "step");
  await inAddress(view, "x");
  await view.until((last) => document.querySelector('figure.chart[data-chart="loss"]').chart.range()[1] === last, generations.at(-1).last_step);
  view.assertSound();
});

test("what needs a server is not there", async () => {
  const view = await opened("baseline");
  await view.chart("loss");
  const pressed = await view.page.$$eval("a, button", (each) => each.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()));
  assert.deepEqual(pressed.filter((name) => /^(Runs|Compare|Queue|Sweeps|Trash|Log(?! x)|Download|Edit|Share|Fork|Restart|Checkpoint now|Pause|Stop)/.test(name)), []);
  assert.equal(await view.page.$("section.control"), null);
  assert.doesNotMatch(await view.text(), /faster|connection/);
  await view.page.$$eval('[role="tab"]', (tabs) => tabs.at(-1).click());
  await view.sees("Hyperparameter");
  assert.deepEqual(await view.accessibilityFaults(), []);
  view.assertSound();
});

test("the explorer answers for each number of replicas, and the way back is there", async () => {
  const view = await opened("baseline");
  await view.chart("loss");
  await view.page.keyboard.press("g");
  await view.sees("Goodput explorer");
  await (await view.find("Number of replicas", "slider")).focus();
  await view.page.keyboard.press("Home");
  const predicted = () => view.until(() => {
    const text = document.querySelector('table[aria-label="Measured and predicted"] tbody tr td:last-child')?.innerText;
    return text?.startsWith("≈") && text;
  });
  const one = await predicted();
  await view.page.keyboard.press("End");
  await view.until((before) => document.querySelector('table[aria-label="Measured and predicted"] tbody tr td:last-child').innerText !== before, one);
  assert.doesNotMatch(await view.text(), /Restart on/);
  await view.page.reload();
  await view.sees("Goodput explorer");
  await view.press("baseline", "link");
  await view.chart("loss");
  await view.page.evaluate(() => history.back());
  await view.sees("Goodput explorer");
  view.assertSound();
});

test("it is dark where the system is", async () => {
  for (const dark of [false, true]) {
    const view = await opened("faster", { dark });
    await view.chart("loss");
    await view.until((scheme) => document.documentElement.dataset.scheme === scheme, dark ? "dark" : "light");
    view.assertSound();
  }
});

test("paper is light and has all charts", async () => {
  const view = await opened("baseline", { dark: true });
  await view.chart("loss");
  const drawn = await view.page.evaluate(() => {
    dispatchEvent(new Event("beforeprint"));
    const charts = [...document.querySelectorAll("figure.chart")];
    const seen = { scheme: document.documentElement.dataset.scheme, frames: charts.map((each) => each.chart.frames) };
    dispatchEvent(new Event("afterprint"));
    return { ...seen, after: document.documentElement.dataset.scheme };
  });
  assert.equal(drawn.scheme, "light");
  assert.equal(drawn.after, "dark");
  assert.ok(drawn.frames.length >= 4 && drawn.frames.every((frames) => frames > 0), String(drawn.frames));
});

test("a run's texts are texts", async () => {
  const view = await opened(ATTACK);
  await view.sees("<img src=x");
  await view.chart("loss");
  assert.equal(await view.page.evaluate(() => window.attacked), undefined);
  assert.equal(await view.page.evaluate(() => document.querySelectorAll('img[src="x"]').length), 0);
  view.assertSound();
});

test("neither scripts that others put in nor other hosts are let in", async () => {
  const view = await opened("baseline");
  await view.chart("loss");
  const refused = await view.page.evaluate(async () => {
    const script = document.createElement("script");
    script.textContent = "window.attacked = 1";
    document.body.append(script);
    const answer = await fetch("http://127.0.0.1:9/").then(() => "answered", (error) => error.name);
    return { isAttacked: "attacked" in window, answer };
  });
  assert.deepEqual(refused, { isAttacked: false, answer: "TypeError" });
  // Firefox is driven without the means to hear of it.
  if (!process.env.FIREFOX) assert.ok(view.faults.some((each) => /Content Security Policy/.test(each)), view.faults.join());
});

test("a file that was cut says so", async () => {
  const view = await opened("baseline");
  const file = join(it.store.folder, "recording.html");
  const text = await readFile(file, "utf8");
  assert.ok((await stat(file)).size < 5_000_000);
  await writeFile(file, text.slice(0, -5000));
  await view.page.reload();
  await view.sees("This recording is damaged, or not whole.");
});
