// SPDX-License-Identifier: Apache-2.0
// On a phone each view is one column: nothing scrolls sideways, and what is pressed is as large as a finger.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHONE } from "./support/browser.mjs";
import { setUp } from "./support/case.mjs";
import { VIEWS } from "./support/views.mjs";

const it = setUp();

// Least size, in pixels, of what is to be pressed: after WCAG 2.2's target size (enhanced). Links within a sentence
// are excepted.
const LEAST = 44;

for (const { name, path, shows } of VIEWS) {
  test(`${name} fits`, async () => {
    const view = await it.browser.open(await path(it.store), { viewport: PHONE });
    await view.sees(shows);
    // Firefox has a bar at the right, which takes some of the width.
    const beyond = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(beyond, 0, `${beyond} pixels lie beyond the right edge`);
    const small = await view.page.$$eval("button, select, input, nav a, [role=tab]", (all, least) => all
      .filter((each) => each.checkVisibility() && each.type !== "hidden")
      .map((each) => [each.closest("label") ?? each, each])
      .filter(([box]) => box.getBoundingClientRect().height < least - 0.5)
      .map(([box, each]) => `${each.tagName} ${each.getAttribute("aria-label") ?? each.textContent.trim()}: ` +
        `${box.getBoundingClientRect().height} px`), LEAST);
    assert.deepEqual(small, []);
  });
}
