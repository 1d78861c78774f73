// SPDX-License-Identifier: Apache-2.0
// A run's record, a replica's log and the files of its program are kept as files, which hold what the command line and the
// program wrote.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { setUp } from "./support/case.mjs";

const it = setUp();

for (const [title, format] of [["Everything, as JSON lines", "jsonl"], ["All samples, as a table (CSV)", "csv"]]) {
  test(`a record is kept as ${format}`, async () => {
    const run = await it.store.idOf("baseline");
    const view = await it.browser.open(`/run/${run}`);
    await view.chart("loss");
    await view.press("Download");
    await view.find(title, "link");
    assert.deepEqual(await view.accessibilityFaults(), []);
    await view.press(title, "link");
    assert.equal((await view.saved(`baseline-${run}.${format}`)).toString(), await it.store.ask("export", run, "--format", format, "--output", "-"));
    view.assertSound();
  });
}

test("the page of a run is kept as one file, which is recording.test.mjs's", async () => {
  const run = await it.store.idOf("baseline");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss");
  await view.press("Download");
  await view.press("This run's page, as one file (HTML)", "link");
  const html = (await view.saved(`baseline-${run}.html`)).toString();
  assert.ok(html.startsWith("<!doctype html>") && html.endsWith("</html>\n"));
  view.assertSound();
});

test("a log is kept as text", async () => {
  const run = await it.store.idOf("baseline");
  const view = await it.browser.open(`/run/${run}/log?generation=1&rank=1`);
  await view.until(() => document.querySelector("a[download]")?.href.includes("generation=1&rank=1"));
  await view.press("Save", "link");
  const log = await view.saved(`baseline-${run}-generation-1-replica-1.txt`);
  assert.deepEqual(log, await readFile(join(it.store.folder, "runs", run, "logs", "g1-r1.log")));
  view.assertSound();
});

test("files of the program are kept, each checkpoint as one", async () => {
  const run = await it.store.idOf("baseline");
  const folder = join(it.store.folder, "runs", run);
  await mkdir(join(folder, "share", "pictures"), { recursive: true });
  await writeFile(join(folder, "share", "pictures", "<b>first & #1?.txt"), "a picture");
  await writeFile(join(folder, "share", ".token"), "secret");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss");
  await view.press("Download");
  const odd = await view.find("share/pictures/<b>first & #1?.txt", "link");
  await view.sees("1 more are not offered");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await odd.click();
  assert.equal((await view.saved(`baseline-${run}--b-first----1-.txt`)).toString(), "a picture");
  const [{ name }] = (await it.store.json("show", run)).checkpoints;
  await view.press(`checkpoints/${name}.tar`, "link");
  await writeFile(join(it.store.folder, "it.tar"), await view.saved(`baseline-${run}-${name}.tar`));
  await promisify(execFile)("tar", ["-xf", "it.tar"], { cwd: it.store.folder });
  const manifest = join(name, "manifest.json");
  assert.deepEqual(await readFile(join(it.store.folder, manifest)), await readFile(join(folder, "checkpoints", manifest)));
  const shown = await view.text();
  for (const hidden of ["environment.json", ".token", "samples.db"]) assert.ok(!shown.includes(hidden), hidden);
  view.assertSound();
});

test("who may only look is offered none of them", async () => {
  const run = await it.store.idOf("baseline");
  const [{ token }] = (await it.store.json("serve", "tokens", "--add", "anna")).tokens;
  const view = await it.browser.open(`/run/${run}`, { by: { url: it.server.url, token } });
  await view.chart("loss");
  await view.press("Download");
  await view.find("Everything, as JSON lines", "link");
  assert.doesNotMatch(await view.text(), /Files of its program/);
  view.assertSound();
});
