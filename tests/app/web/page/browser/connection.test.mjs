// SPDX-License-Identifier: Apache-2.0
// The connection is lost and found again: the page says so, and then draws what came in between, each step once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";
import { assertInOrder, longestHole } from "./support/samples.mjs";
import { Tunnel } from "./support/tunnel.mjs";

const it = setUp();

const isLost = () => document.documentElement.dataset.connection === "lost";
const isSilent = () => document.documentElement.dataset.connection === "silent";
const isLive = () => document.documentElement.dataset.connection === "live";

async function open(name, by = it.server) {
  const run = await it.store.train(name, "--replicas", "1");
  const view = await it.browser.open(`/run/${run}?x=step`, { by });
  await view.sees("Training on 1 replica");
  await view.chart("loss");
  return { run, view, last: await view.grownBeyond("loss", 1) };
}

// Asserts that the samples since the step `last` stand there; of very many steps at once the lowest and highest of some
// columns do.
async function assertFound(view, last) {
  const newest = await view.grownBeyond("loss", last);
  const { pieces } = await view.chart("loss");
  assertInOrder(pieces);
  const hole = longestHole(pieces, last - 1, newest);
  assert.ok(hole <= Math.max(1, (newest - last) / 8), `${hole} steps of ${newest - last} are missing`);
}

test("a server that was killed and begins again", async () => {
  const { run, view, last } = await open("killed");
  await it.server.kill();
  await view.until(isLost);
  await view.sees(/connection is lost|does not answer/);
  await it.server.startAgain();
  await view.until(isLive);
  await assertFound(view, last);
  await it.store.ask("stop", run);
});

test("a tunnel that broke off", async () => {
  const tunnel = await Tunnel.to(it.server);
  const { view, last } = await open("far", tunnel);
  await tunnel.breakOff();
  await view.until(isLost);
  await tunnel.mend();
  await view.until(isLive);
  await assertFound(view, last);
  await tunnel.breakOff();
});

test("a server that hangs is not a quiet run", async () => {
  const { run, view, last } = await open("stopped");
  it.server.child.kill("SIGSTOP");
  await view.until(isSilent);
  await view.sees(/The server has been silent for \d0 s\. Connecting again/);
  assert.ok(!(await view.text()).includes("Training on 1 replica"));
  it.server.child.kill("SIGCONT");
  await view.until(isLive);
  await view.sees("Training on 1 replica");
  await assertFound(view, last);
  await it.store.ask("stop", run);
});

test("a tunnel that was cut without a word", async () => {
  const tunnel = await Tunnel.to(it.server);
  const { run, view, last } = await open("cut", tunnel);
  tunnel.hang();
  await view.until(isSilent);
  await tunnel.mend();
  await view.until(isLive);
  await assertFound(view, last);
  await it.store.ask("stop", run);
  await tunnel.breakOff();
});

test("an address that is none is told in the page, and answered as data to a program", async () => {
  const view = await it.browser.open("/nothing");
  await view.sees("There is no such page");
  const answer = await fetch(it.server.at("/nothing"), { headers: { Authorization: `Bearer ${it.server.token}` } });
  assert.equal(answer.status, 404);
  assert.match((await answer.json()).error, /nothing at this address/);
});
