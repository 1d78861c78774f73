// SPDX-License-Identifier: Apache-2.0
// A run is put into the queue from the page, with checked fields, and trains.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

// Writes into the field in place of what it has.
async function write(view, name, text) {
  const field = await view.find(name, "textbox");
  await view.write(field, text);
}

// Waits until the field is refused with these words; with none, until it is not refused.
const refuses = (view, name, words) => view.until((id, expected) => {
  const complaint = document.getElementById(`field-${id}-complaint`);
  return complaint && (expected === "" ? complaint.textContent === "" : complaint.textContent.includes(expected));
}, name, words);

test("a recipe is chosen, its fields are checked, and the run trains", async () => {
  const view = await it.browser.open("/queue");
  await view.press("Add a run …");
  await view.until(() => [...document.querySelectorAll("dialog option")].some((each) => each.textContent === "Handwritten digits"));
  await view.sees("A small convolutional network");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await write(view, "epochs", "0");
  await refuses(view, "values-epochs", "Expected a whole number of at least 1");
  await write(view, "Name", "from-the-page");
  await write(view, "Replicas", "often");
  await refuses(view, "replicas", "'often' is not a number of replicas");
  await view.press("Add to the queue");
  await view.until(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  assert.equal((await it.store.json("queue")).queue.length, 0);
  await write(view, "epochs", "2000");
  await write(view, "Replicas", "1");
  await refuses(view, "values-epochs", "");
  await refuses(view, "replicas", "");
  await view.press("Add to the queue");
  await view.until(() => !document.querySelector("dialog"));
  await view.until(() => document.querySelector('input[aria-label="Choose from-the-page"]')?.checked);
  const run = await it.store.idOf("from-the-page");
  await view.page.goto(it.server.at(`/run/${run}`));
  await view.sees("Training on 1 replica");
  assert.equal((await it.store.json("show", run)).hyperparameters.epochs, "2000");
  view.assertSound();
});

test("a run starts now, beside the queue", async () => {
  const view = await it.browser.open("/");
  await view.press("New run …");
  await (await view.find("Start", "combobox")).select("now");
  await view.until(() => document.getElementById("field-priority").closest("[hidden]"));
  await write(view, "Name", "at-once");
  await write(view, "Replicas", "1");
  await write(view, "epochs", "2000");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Start now");
  await view.until(() => document.querySelector("h1")?.textContent === "at-once");
  await view.sees("Training on 1 replica");
  assert.ok(!(await it.store.json("queue")).queue.some((each) => each.name === "at-once"));
  await it.store.ask("stop", "at-once");
  view.assertSound();
});

test("a run waits for another one, on devices that it keeps", async () => {
  await it.store.ask("submit", "digits", "--name", "earlier", "--hold");
  const earlier = await it.store.idOf("earlier");
  const view = await it.browser.open("/queue");
  await view.press("Add a run …");
  await view.until((id) => document.querySelector(`dialog option[value="${id}"]`), earlier);
  assert.equal(await view.page.$("#field-after-end:not([hidden] *)"), null);
  await (await view.find("Begin after", "combobox")).select(earlier);
  await (await view.find("Once that run", "combobox")).select(":end");
  await (await view.find("Device", "combobox")).select("cpu");
  await view.press("Keep its devices until it ends", "checkbox");
  await write(view, "Name", "later");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Add to the queue");
  await view.until(() => !document.querySelector("dialog"));
  const job = (await it.store.json("queue")).queue.find((each) => each.name === "later");
  assert.deepEqual([job.after, job.after_end, job.preemptible], [earlier, "end", false]);
  assert.equal((await it.store.json("show", "later")).run.spec.device, "cpu");
  await it.store.ask("cancel", "later", "earlier");
  view.assertSound();
});

test("a run is cloned with other values", async () => {
  await it.store.ask("submit", "--recipe", "digits", "--set", "epochs=7", "--name", "first", "--group", "mine", "--hold");
  const first = await it.store.idOf("first");
  const view = await it.browser.open(`/run/${first}`);
  await view.press("Clone");
  await view.sees("Clone first");
  await view.until(() => document.getElementById("field-values-epochs")?.value === "7");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await write(view, "epochs", "8");
  await view.press("Hold it until it is released", "checkbox");
  await view.press("Add to the queue");
  await view.until((id) => !location.pathname.endsWith(id), first);
  const { run } = await it.store.json("show", "first copy");
  assert.equal(run.group, "mine");
  assert.ok(run.spec.arguments.join(" ").includes("--epochs 8"));
  await it.store.ask("cancel", "first", "first copy");
  view.assertSound();
});

test("a run is added, held, from the list of runs on a phone", async () => {
  const view = await it.browser.open("/", { viewport: { width: 390, height: 844, isMobile: true, hasTouch: true } });
  await view.press("New run …");
  await view.sees("What to run");
  const select = await view.find("What to run", "combobox");
  await select.select("least_squares");
  await view.until(() => document.getElementById("field-name").value === "least_squares");
  await view.press("Hold it until it is released", "checkbox");
  await view.press("Add to the queue");
  await view.sees("held; release it");
  const [job] = (await it.store.json("queue")).queue.filter((each) => each.name === "least_squares");
  assert.equal(job.held, true);
  await it.store.ask("cancel", job.run);
  view.assertSound();
});
