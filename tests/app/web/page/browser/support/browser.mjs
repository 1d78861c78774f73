// SPDX-License-Identifier: Apache-2.0
//
// Debian's chromium without a window, or its Firefox where FIREFOX says where that is; and what a person does with a
// page: opens it, finds things by their role and name, waits until something is to be seen. A page that throws, breaks
// its content security policy or asks another host fails the test that opened it.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { named, registerNamed } from "./named.mjs";

const modules = createRequire(join(process.env.PAGE_MODULES, "page.cjs"));
const puppeteer = modules("puppeteer-core");
const AXE = modules.resolve("axe-core/axe.min.js");

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
export const PATIENCE = 180_000;  // of a wait, in ms

const { FIREFOX } = process.env;
if (FIREFOX) registerNamed(puppeteer);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

export class Browser {
  static async start(server) {
    const browser = new Browser();
    browser.server = server;
    // Without a folder of ours puppeteer makes an empty one and removes it.
    const timeout = 240_000;  // ms: beside other work Firefox takes its time
    browser.downloads = await mkdtemp(join(tmpdir(), "downloads-"));
    const extraPrefsFirefox = { "browser.download.folderList": 2, "browser.download.dir": browser.downloads,
      "browser.download.alwaysOpenPanel": false };  // which would take the keys
    browser.program = await puppeteer.launch(FIREFOX
      // As root it refuses to run in a home that is another's.
      ? { browser: "firefox", executablePath: FIREFOX, timeout, extraPrefsFirefox, env: { ...process.env, HOME: process.env.PAGE_MODULES } }
      : { executablePath: process.env.CHROMIUM, timeout, args: FLAGS });
    return browser;
  }

  // A page in a session of its own, which the token has let in; `by` is the server or a way to it.
  async open(path, { by = this.server, ...look } = {}) {
    const view = await this.#blank(by, look);
    const address = new URL(path, by.url);
    address.searchParams.set("token", by.token);
    await view.page.goto(address.href);
    return view;
  }

  // A file of the disk, which may ask nobody.
  async openFile(address, look = {}) {
    const view = await this.#blank({ url: address }, look);
    await view.page.goto(address);
    return view;
  }

  async #blank(by, { viewport = DESK, dark = false }) {
    const context = await this.program.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.setViewport(viewport);
    // Firefox is driven without the means to say what the system wants.
    if (!FIREFOX) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
    else await page.evaluateOnNewDocument((scheme) => /^(http|file)/.test(location.protocol) && localStorage.setItem("scheme", scheme), dark ? "dark" : "light");
    if (!FIREFOX) {
      const session = await page.createCDPSession();
      await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: this.downloads, browserContextId: context.id });
    }
    return new View(page, by, this.downloads);
  }

  async close() {
    await this.program.close();
    await rm(this.downloads, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

export class View {
  constructor(page, server, downloads) {
    this.page = page;
    this.downloads = downloads;
    this.faults = [];
    page.on("pageerror", (error) => this.faults.push(`threw ${error.message}`));
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) this.faults.push(message.text());
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith("http") && url.host !== new URL(server.url).host)
        this.faults.push(`asked another host: ${url}`);
    });
  }

  assertSound() {
    assert.deepEqual(this.faults, []);
  }

  // The element with this role and accessible name; waits for it.
  find(name, role) {
    return this.page.waitForSelector(this.selector(name, role));
  }

  selector(name, role) {
    return FIREFOX ? named(name, role) : `aria/${name}${role ? `[role="${role}"]` : ""}`;
  }

  // The run's row in the list, which is a link.
  row(name) {
    return this.page.waitForSelector(`::-p-xpath(//a[contains(@class,"run-row")][.//span[.="${name}"]])`);
  }

  // Waits until it is enabled and stays where it is.
  press(name, role = "button") {
    return this.page.locator(this.selector(name, role)).click();
  }

  // Writes a text in the place of what the field has: by keys, since on a busy machine three clicks may be one and two.
  async write(field, text) {
    await field.focus();
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await this.page.keyboard.press("Backspace");
    await field.type(text);
  }

  // Waits until the page's text, as it is seen, has this in it: words, or what an expression matches.
  async sees(words) {
    const [pattern, flags] = words instanceof RegExp ? [words.source, words.flags] : [words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), ""];
    await this.until((source, how) => new RegExp(source, how).test(document.body.innerText), pattern, flags);
  }

  text() {
    return this.page.evaluate(() => document.body.innerText);
  }

  // Waits until the browser has kept a file of this name, and takes it away. Until it is whole, Chromium gives it another
  // name, and Firefox has a part of it beside it, a moment after an empty file of the name.
  async saved(name) {
    const file = join(this.downloads, name);
    let looks = 0;
    for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const there = await readdir(this.downloads);
      if (!there.includes(name) || there.some((each) => each.endsWith(".part"))) continue;
      const content = await readFile(file);
      if (content.length === 0 && ++looks < 20) continue;
      await rm(file);
      return content;
    }
    throw new Error(`no ${name} was kept, but ${await readdir(this.downloads)}`);
  }

  // Waits until `condition`, called in the page with the rest, holds; returns what it returned.
  async until(condition, ...args) {
    const handle = await this.page.waitForFunction(condition, { polling: 50 }, ...args);  // at each frame it would cost a core
    return handle.jsonValue();
  }

  // Returns what a chart has drawn of a line, a piece for each generation, and the part of the axis that it
  // shows.
  async chart(name, line = name) {
    const selector = `figure.chart[data-chart="${name}"]`;
    await this.until((of, key) => document.querySelector(of)?.chart?.data()[key]?.some((piece) => piece.x0.length > 0), selector, line);
    return this.page.evaluate((of, key) => {
      const { chart } = document.querySelector(of);
      return { pieces: chart.data()[key], range: chart.range() };
    }, selector, line);
  }

  // Waits until the chart shows more of the axis than up to here; returns up to where.
  grownBeyond(name, to) {
    return this.until((of, before) => {
      const now = document.querySelector(of)?.chart?.range()[1];
      return now > before && now;
    }, `figure.chart[data-chart="${name}"]`, to);
  }

  // Returns the serious and critical faults that axe-core finds, a line each.
  async accessibilityFaults() {
    await this.page.bringToFront();
    const axe = await (await import("node:fs/promises")).readFile(AXE, "utf8");
    await this.page.evaluate(axe);  // by the debugger, which the page's policy does not bind
    const { violations } = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return violations
      .filter((each) => ["serious", "critical"].includes(each.impact))
      .flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
  }
}
