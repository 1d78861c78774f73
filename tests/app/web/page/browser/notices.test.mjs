// SPDX-License-Identifier: Apache-2.0
// A page that nobody looks at tells of the end of a run or a sweep, and of a pool that keeps runs waiting. A press on the
// notice opens the run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("who asks for it is told of a run's end, and is led there", async () => {
  const run = await it.store.train("long");
  const view = await it.browser.open("/queue");
  const { page } = view;
  await page.browserContext().overridePermissions(new URL(it.server.url).origin, ["notifications"]);
  // In the place of the system's notices, which a test cannot see; and nobody looks.
  await page.evaluateOnNewDocument(() => {
    window.told = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title, options) {
        super();
        window.told.push({ title, ...options, press: () => this.dispatchEvent(new Event("click")) });
      }
      close() {}
    };
    document.hasFocus = () => false;
    const every = window.setInterval;
    window.setInterval = (act, time) => every(act, Math.min(time, 1000));
  });
  await page.reload();
  await view.press("View", "");
  const box = await view.find("Tell me when a run or a sweep ends", "checkbox");
  const asked = page.waitForResponse((response) => response.url().includes("/api/runs?"));
  await box.click();
  await asked;
  await it.store.ask("run", "--headless", "--name", "short", "digits", "--", "--epochs", "1");
  await view.until(() => window.told.some((notice) => notice.title === "short has finished"));
  assert.ok(!(await view.until(() => window.told)).some((notice) => notice.title.startsWith("long")));
  await page.evaluate(() => window.told.find((notice) => notice.title === "short has finished").press());
  await view.until(() => document.querySelector("h1")?.textContent === "short");

  // A pool that is paused keeps a sweep's new trial waiting; then the sweep ends again.
  await it.store.ask("stop", run);
  await it.store.ask("pool", "--pause");
  await it.store.ask("sweep", "extend", "digits-sweep", "--trials", "1");
  await view.until(() => window.told.some((notice) => notice.title === "The pool is paused" && notice.body === "1 run waits for devices"));
  await it.store.ask("pool", "--resume");
  await view.until(() => window.told.some((notice) => notice.title === "The sweep digits-sweep has finished"));
  assert.equal((await view.until(() => window.told)).filter((notice) => notice.title === "The pool is paused").length, 1);
});
