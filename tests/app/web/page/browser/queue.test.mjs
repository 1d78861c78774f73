// SPDX-License-Identifier: Apache-2.0
// The queue: who has devices, who waits and why, kept up to date.
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("a run that is submitted appears, and one that is held says so", async () => {
  const view = await it.browser.open("/queue");
  await view.sees("Nothing is in the queue");
  await it.store.ask("submit", "digits", "--name", "waiting", "--hold");
  await view.sees("waiting");
  await view.sees("held; release it to give it devices");
  await it.store.ask("cancel", "waiting", "--json");
  view.assertSound();
});
