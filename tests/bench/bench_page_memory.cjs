#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// How much memory a page holds that watches a run for long: JavaScript's heap, after the garbage is collected, in chromium.
// The run makes the steps of an hour at ten a second, 36,000, thirty times as fast; three browser windows show its charts, its log
// and the list of runs. The first half of it fills what the page keeps; from then on it must not grow: the ratio is of the
// largest of the second half to the largest of the first.
const { execFileSync, spawn } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");
const { createInterface } = require("node:readline");

const names = ["page.memory", "page.memory.log", "page.memory.list", "page.memory.growth"];
const wanted = process.argv.slice(2);
if (wanted[0] === "--list") {
  console.log(names.join("\n"));
  process.exit(0);
}

const steps = 36_000;
const rate = 300; // a second
const looks = 12;
const puppeteer = require("@page_build@/node_modules/puppeteer-core");
const program = "@CMAKE_BINARY_DIR@/bin/batchscope";
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

// Returns the megabytes in use, of which nothing is garbage.
async function heapOf(page) {
  const session = await page.createCDPSession();
  for (let again = 0; again < 2; ++again) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize / 1e6;
}

async function measure(home) {
  const env = { ...process.env, BATCHSCOPE_DB: join(home, "runs.db"), XDG_DATA_HOME: home, XDG_STATE_HOME: home, STEPS: steps, RATE: rate };
  const run = execFileSync(program, ["run", "--detach", "@CMAKE_CURRENT_SOURCE_DIR@/page/live_run.py"], { env, encoding: "utf8" }).trim();
  const server = spawn(program, ["serve", "--port", "0", "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  let browser;
  try {
    const { url, token } = JSON.parse(await new Promise((resolve) => createInterface({ input: server.stdout }).once("line", resolve)));
    browser = await puppeteer.launch({ executablePath: "@CHROMIUM@", args: flags });
    const heaps = { "page.memory": [], "page.memory.log": [], "page.memory.list": [] };
    const pages = [];
    for (const path of [`/run/${run}`, `/run/${run}/log`, "/"]) {
      const page = await (await browser.createBrowserContext()).newPage(); // a window of its own, which is in sight
      await page.setViewport({ width: 1440, height: 900 });
      const address = new URL(path, url);
      address.searchParams.set("token", token);
      await page.goto(address.href);
      pages.push(page);
    }
    for (let look = 1; look <= looks; ++look) {
      await pages[0].waitForFunction((step) => Number(/step ([\d,]+)/.exec(document.querySelector(".readout h2")?.textContent ?? "")?.[1].replaceAll(",", "") ?? 0) >= step,
        { polling: 500, timeout: 600_000 }, (look * (steps - rate)) / looks);
      await sleep(1);
      for (const [i, list] of Object.values(heaps).entries()) list.push(await heapOf(pages[i]));
    }
    const largest = (list) => Math.max(...list);
    const halves = heaps["page.memory"];
    const rows = Object.entries(heaps).map(([name, list]) => ({ name, value: largest(list), unit: "MB", better: "lower", goal: name === "page.memory" ? 8 : null, runs: list.length, min: Math.min(...list), max: largest(list) }));
    const growth = largest(halves.slice(looks / 2)) / largest(halves.slice(0, looks / 2));
    rows.push({ name: "page.memory.growth", value: growth, unit: "ratio", better: "lower", goal: 1.5, runs: 1, min: growth, max: growth });
    for (const row of rows) if (wanted.length === 0 || wanted.some((prefix) => row.name.startsWith(prefix))) console.log(JSON.stringify(row));
  } finally {
    await browser?.close();
    execFileSync(program, ["stop", run], { env, stdio: "ignore" });
    server.kill("SIGTERM");
    await new Promise((resolve) => server.once("close", resolve));
  }
}

const home = mkdtempSync(join(tmpdir(), "page-"));
measure(home).finally(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
