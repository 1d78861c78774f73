// SPDX-License-Identifier: Apache-2.0
// The list: every run, the filter of `ls --where`, and what a filter that cannot be read says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("a run of the list opens by a click", async () => {
  const view = await it.browser.open("/");
  await (await view.row("baseline")).click();
  await view.until(() => document.querySelector("h1")?.textContent === "baseline");
  assert.equal(new URL(view.page.url()).pathname, `/run/${await it.store.idOf("baseline")}`);
  view.assertSound();
});

test("a filter leaves what it says, and stands in the address", async () => {
  const view = await it.browser.open("/");
  await view.row("baseline");
  await view.page.type("aria/Find runs", "replicas = 2 and accuracy > 0.9");
  await view.until(() => !document.body.innerText.includes("digits-sweep-2"));
  assert.match(await view.text(), /baseline[^]*faster|faster[^]*baseline/);
  await view.until(() => new URLSearchParams(location.search).has("where"));
  await view.page.reload();
  await view.row("baseline");
  assert.doesNotMatch(await view.text(), /digits-sweep-2/);
});

test("a filter that cannot be read says why", async () => {
  const view = await it.browser.open("/?where=accuracy%20%3E");
  const answer = await fetch(it.server.at("/api/runs?where=accuracy%20%3E"), {
    headers: { Authorization: `Bearer ${it.server.token}` },
  });
  assert.equal(answer.status, 400);
  await view.sees((await answer.json()).error.split("\n")[0]);
});
