// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

const words = { "{} of {} runs": "{1} Läufe, davon {0}", Queue: "Warteschlange" };
const elements: Record<string, { textContent: string }> = { words: { textContent: JSON.stringify(words) } };
Object.assign(globalThis, { document: { documentElement: { lang: "de" }, getElementById: (id: string) => elements[id] ?? null } });

test("texts are translated, with their values where the translation has them", async () => {
  const { locale, say } = await import("../../../../app/web/page/src/base/say");
  assert.equal(say("Queue"), "Warteschlange");
  assert.equal(say("{} of {} runs", 2, "30"), "30 Läufe, davon 2");
  assert.equal(say("not translated: {}", "{}"), "not translated: {}");
  assert.equal(say("in {}."), "in {}.");
  assert.equal(locale, "de");
});
