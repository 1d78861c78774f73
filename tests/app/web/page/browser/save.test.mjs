// SPDX-License-Identifier: Apache-2.0
// A chart is saved as a picture and as a table, by mouse and by keys.
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();
const folder = await mkdtemp(join(tmpdir(), "saved-"));
after(() => rm(folder, { recursive: true, force: true }));

// A download has another name until it is whole.
async function saved(name) {
  while (!(await readdir(folder)).includes(name)) await new Promise((resolve) => setTimeout(resolve, 50));
  return readFile(join(folder, name));
}

test("a chart is saved as a picture and as a table", async () => {
  const view = await it.browser.open(`/run/${await it.store.idOf("baseline")}`);
  const client = await view.page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", {
    behavior: "allow", downloadPath: folder, browserContextId: view.page.browserContext().id,
  });
  const { pieces } = await view.chart("loss");
  await view.press("Save Loss as a table");
  const rows = (await saved("baseline-loss.csv")).toString().trimEnd().split("\n");
  assert.match(rows[0], /^line,generation,time from,time to,lowest.*,mean.*,highest.*,samples$/);
  assert.ok(rows.length > pieces.reduce((sum, piece) => sum + piece.x0.length, 0), `${rows.length} rows`);
  assert.deepEqual([...new Set(rows.slice(1).map((row) => row.split(",")[1]))], ["0", "1"]);

  await (await view.find("Save Loss as a picture", "button")).focus();
  await view.page.keyboard.press("Enter");
  const picture = await saved("baseline-loss.png");
  assert.equal(picture.subarray(1, 4).toString(), "PNG");
  assert.ok(picture.readUInt32BE(16) > 300 && picture.readUInt32BE(20) > 150);
  view.assertSound();
});
