// SPDX-License-Identifier: Apache-2.0
// A person whose token is revoked is told so, by the open page and by the address.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

test("an open page and its address say that the token was revoked, and what to do", async () => {
  const [{ token }] = (await it.store.json("serve", "tokens", "--add", "anna")).tokens;
  const view = await it.browser.open("/", { by: { url: it.server.url, token } });
  await view.row("baseline");
  await it.store.ask("serve", "tokens", "--revoke", "anna");
  await view.sees("This token no longer counts here");
  await view.page.reload();
  await view.sees("The token no longer counts");
  await view.sees("serve tokens --add");
  assert.equal(await view.page.$("script"), null);
});
