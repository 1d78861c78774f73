// SPDX-License-Identifier: Apache-2.0
// A run's record and a replica's log are kept as files, which hold what the command line writes.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "downloads-"));
});
after(() => rm(folder, { recursive: true, force: true }));

// Has the browser keep files in the folder, and returns what waits for the next one to be whole.
async function keeps(view) {
  const session = await view.page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, eventsEnabled: true,
    browserContextId: view.page.browserContext().id });
  return () => new Promise((resolve, reject) => {
    let name;
    session.on("Browser.downloadWillBegin", (event) => (name = event.suggestedFilename));
    session.on("Browser.downloadProgress", ({ state }) => {
      if (state === "completed") resolve(name);
      if (state === "canceled") reject(new Error(`${name} was broken off`));
    });
  });
}

for (const [title, format] of [["Everything, as JSON lines", "jsonl"], ["All samples, as a table (CSV)", "csv"]]) {
  test(`a record is kept as ${format}`, async () => {
    const run = await it.store.idOf("baseline");
    const view = await it.browser.open(`/run/${run}`);
    await view.chart("loss");
    await view.press("Download");
    await view.find(title, "link");
    assert.deepEqual(await view.accessibilityFaults(), []);
    const kept = (await keeps(view))();
    await view.press(title, "link");
    assert.equal(await kept, `baseline-${run}.${format}`);
    assert.equal(await readFile(join(folder, `baseline-${run}.${format}`), "utf8"),
      await it.store.ask("export", run, "--format", format, "--output", "-"));
    view.assertSound();
  });
}

test("the page of a run is kept as one file, which is recording.test.mjs's", async () => {
  const run = await it.store.idOf("baseline");
  const view = await it.browser.open(`/run/${run}`);
  await view.chart("loss");
  await view.press("Download");
  const kept = (await keeps(view))();
  await view.press("This run's page, as one file (HTML)", "link");
  assert.equal(await kept, `baseline-${run}.html`);
  const html = await readFile(join(folder, `baseline-${run}.html`), "utf8");
  assert.ok(html.startsWith("<!doctype html>") && html.endsWith("</html>\n"));
  view.assertSound();
});

test("a log is kept as text", async () => {
  const run = await it.store.idOf("baseline");
  const view = await it.browser.open(`/run/${run}/log?generation=1&rank=1`);
  await view.until(() => document.querySelector("a[download]")?.href.includes("generation=1&rank=1"));
  const kept = (await keeps(view))();
  await view.press("Save", "link");
  const name = await kept;
  assert.equal(name, `baseline-${run}-generation-1-replica-1.txt`);
  const { size } = await stat(join(folder, name));
  assert.equal(size, (await readFile(join(it.store.folder, "runs", run, "logs", "g1-r1.log"))).length);
  view.assertSound();
});
