// SPDX-License-Identifier: Apache-2.0
//
// The beginning of most tests: a store with recorded runs, a server of it and a browser, all of which end with the
// file.
import { after, before } from "node:test";
import { Browser } from "./browser.mjs";
import { Server } from "./server.mjs";
import { Store } from "./store.mjs";

// Filled before the first test of the file.
export function setUp(...serverArguments) {
  const it = {};
  before(async () => {
    it.store = await Store.copy();
    it.server = await Server.start(it.store, ...serverArguments);
    it.browser = await Browser.start(it.server);
  });
  after(async () => {
    await it.browser?.close();
    await it.server?.kill("SIGTERM");
    await it.store?.close();
  });
  return it;
}
