// SPDX-License-Identifier: Apache-2.0
// Runs that train are compared while they do: both lines grow, over one stream.
import { test } from "node:test";
import { setUp } from "./support/case.mjs";
import { assertInOrder } from "./support/samples.mjs";
import { Tunnel } from "./support/tunnel.mjs";

const it = setUp();

async function assertGrows(view, id) {
  const last = (await view.chart("loss", id)).pieces.at(-1).x1.at(-1);
  await view.until((key, before) => document.querySelector('figure.chart[data-chart="loss"]').chart.data()[key].at(-1).x1.at(-1) > before,
    id, last);
  assertInOrder((await view.chart("loss", id)).pieces);
}

test("the lines of two runs that train grow, and grow on where the connection was lost", async () => {
  const ids = [await it.store.train("one", "--replicas", "1"), await it.store.train("other", "--replicas", "1")];
  const tunnel = await Tunnel.to(it.server);
  const view = await it.browser.open(`/compare?runs=${ids.join(",")}&x=step`, { by: tunnel });
  for (const id of ids) await assertGrows(view, id);
  await tunnel.breakOff();
  await view.until(() => document.documentElement.dataset.connection === "lost");
  await tunnel.mend();
  await view.until(() => document.documentElement.dataset.connection === "live");
  for (const id of ids) await assertGrows(view, id);
  view.assertSound();
  await tunnel.breakOff();
});

test("the state of a compared run stays up to date", async () => {
  const id = await it.store.train("one", "--replicas", "1");
  const view = await it.browser.open(`/compare?runs=${id}&x=step`);
  const reads = (text) => view.until((wanted) => document.body.textContent.includes(wanted), text);
  await reads("Training on 1 replica");
  await it.store.ask("pause", id);
  await reads("Paused");
  view.assertSound();
});
