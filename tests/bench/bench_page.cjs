#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// How long a frame of the page takes in chromium: 12 charts of 8 series, each of 2,000 buckets with its lowest and highest,
// on a page of 1440 x 900, while they are zoomed, panned and pointed at; how much of it is the page's script; and the processor
// time of the browser's main thread, with script, layout and painting. Frames do not wait for the screen, so that they are not
// multiples of its own.
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");

const goals = { zoom: 16, pan: 16, cursor: 8 }; // ms
const names = Object.keys(goals).flatMap((what) => [`page.frame.${what}`, `page.frame.script.${what}`, `page.frame.main.${what}`]);
const wanted = process.argv.slice(2);
if (wanted[0] === "--list") {
  console.log(names.join("\n"));
  process.exit(0);
}

const puppeteer = require("@page_build@/node_modules/puppeteer-core");
const script = execFileSync("@ESBUILD@", ["@CMAKE_CURRENT_SOURCE_DIR@/page/charts.ts", "--bundle", "--format=iife"],
  { env: { ...process.env, NODE_PATH: "@page_build@/node_modules" }, encoding: "utf8" });
const style = readFileSync("@CMAKE_BINARY_DIR@/share/batchscope/page/page.css", "utf8");
// The page's body gives a child no width of its own.
const layout = `.bench-grid { box-sizing: border-box; width: 100vw; display: grid;
    grid-template: repeat(3, 290px) / repeat(4, 1fr); gap: 8px; padding: 6px; }
  .bench-grid .chart { display: flex; flex-direction: column; height: 290px; } .bench-grid .plot { flex: 1; min-height: 0; }`;

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-frame-rate-limit", "--disable-gpu-vsync"];
async function measure() {
  const browser = await puppeteer.launch({ executablePath: "@CHROMIUM@", args: flags });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => { throw error; });
    await page.setViewport({ width: 1440, height: 900 });
    // An address of its own, since the charts keep theirs.
    await page.setRequestInterception(true);
    page.on("request", (request) => request.respond({ contentType: "text/html", body: "<!doctype html><html lang='en'><body></body></html>" }));
    await page.goto("http://localhost/");
    await page.addStyleTag({ content: style + layout });
    await page.addScriptTag({ content: script });
    await page.waitForFunction(() => window.bench.drawn().every((frames) => frames > 0));
    const session = await page.createCDPSession();
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const mainTime = async () => 1000 * (await session.send("Performance.getMetrics")).metrics.find((each) => each.name === "TaskDuration").value; // ms
    const isWanted = (name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix));
    for (const [what, goal] of Object.entries(goals)) {
      if (!names.some((name) => name.endsWith(`.${what}`) && isWanted(name))) continue;
      await page.evaluate((each) => window.bench[each](), what); // until the browser has compiled what is called often
      const before = await mainTime();
      const { frame, script } = await page.evaluate((each) => window.bench[each](), what);
      const main = [((await mainTime()) - before) / frame.length]; // a mean
      for (const [name, times] of [[`page.frame.${what}`, frame], [`page.frame.script.${what}`, script], [`page.frame.main.${what}`, main]]) {
        if (!isWanted(name)) continue;
        times.sort((a, b) => a - b);
        const [min, value, max] = [times[0], times[times.length >> 1], times.at(-1)];
        console.log(JSON.stringify({ name, value, unit: "ms", better: "lower", goal: name === `page.frame.${what}` ? goal : null, runs: times.length, min, max }));
      }
    }
  } finally {
    await browser.close();
  }
}

measure();
