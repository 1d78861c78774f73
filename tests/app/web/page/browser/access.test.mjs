// SPDX-License-Identifier: Apache-2.0
// axe-core finds nothing serious in any view, light or dark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";
import { VIEWS } from "./support/views.mjs";

const it = setUp();

for (const { name, path, shows } of VIEWS) {
  for (const dark of [false, true]) {
    test(`${name}, ${dark ? "dark" : "light"}`, async () => {
      const view = await it.browser.open(await path(it.store), { dark });
      await view.sees(shows);
      assert.deepEqual(await view.accessibilityFaults(), []);
      view.assertSound();
    });
  }
}

test("the sheet of keys", async () => {
  const view = await it.browser.open("/");
  await view.row("baseline");
  await view.page.keyboard.press("?");
  await view.page.waitForSelector("dialog[open]");
  assert.deepEqual(await view.accessibilityFaults(), []);
});
