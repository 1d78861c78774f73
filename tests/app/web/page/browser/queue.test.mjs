// SPDX-License-Identifier: Apache-2.0
// The queue: who has devices, who waits and why, kept up to date; and what a person does to it from the page.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

// Runs that stay where they are: they are held.
async function submitHeld(...names) {
  for (const name of names) await it.store.ask("submit", "digits", "--name", name, "--hold");
}

const jobs = async () => (await it.store.json("queue")).queue;
const names = async () => (await jobs()).map((job) => job.name);

// Waits until the table has these runs in this order.
const shows = (view, ...wanted) => view.until((expected) =>
  [...document.querySelectorAll('table[aria-label="Queue"] tbody a')].map((each) => each.textContent).join() === expected, wanted.join());

afterEach(async () => {
  const left = await jobs();
  if (left.length > 0) await it.store.ask("cancel", ...left.map((job) => job.run));
});

test("a run that is submitted appears, and one that is held says so", async () => {
  const view = await it.browser.open("/queue");
  await view.sees("Nothing is in the queue");
  await it.store.ask("submit", "digits", "--name", "waiting", "--hold");
  await view.sees("waiting");
  await view.sees("held; release it to give it devices");
  view.assertSound();
});

test("the pool's decisions are told one by one", async () => {
  const { decisions } = await it.store.json("pool", "--decisions");
  const view = await it.browser.open("/queue");
  const rows = await view.until((least) => {
    const found = [...document.querySelectorAll('table[aria-label="Decisions"] tbody tr')].map((row) => row.innerText.split("\t"));
    return found.length >= least && found;
  }, decisions.length);
  assert.deepEqual(rows.slice(0, decisions.length).map((row) => row[1]), decisions.map((each) => each.cause).reverse());
  const oldest = decisions.findIndex((each) => each.choices.length > 0);
  await (await view.page.$$('table[aria-label="Decisions"] button')).at(decisions.length - 1 - oldest).click();
  const { choices } = decisions[oldest];
  await view.until((count) => document.querySelectorAll('table[aria-label="Devices of each run"] tbody tr').length === count, choices.length);
  await view.sees(choices[0].reason);
  assert.deepEqual(await view.accessibilityFaults(), []);
  view.assertSound();
});

test("machines stand a row each where runs share those of several", async () => {
  await it.store.ask("pool", "--agents", "n2", "--agents-by", "/bin/false");
  const view = await it.browser.open("/queue");
  const rows = await view.until(() => {
    const found = [...document.querySelectorAll('table[aria-label="Machines"] tbody tr')].map((row) => row.innerText.split("\t"));
    return found.length === 2 && found;
  });
  assert.deepEqual(rows.map(([name]) => name), ["here", "n2"]);
  assert.match(rows[0][1], /cores? in use/);
  assert.deepEqual(await view.accessibilityFaults(), []);
  view.assertSound();
  await it.store.ask("pool", "--agents", "");
});

test("a run is moved by buttons and by keys, and a move is taken back", async () => {
  await submitHeld("first", "second", "third");
  const view = await it.browser.open("/queue");
  await shows(view, "first", "second", "third");
  await view.press("Choose third", "checkbox");
  await view.press("Up");
  await shows(view, "first", "third", "second");
  await view.page.keyboard.press("K");
  await shows(view, "third", "first", "second");
  assert.deepEqual(await names(), ["third", "first", "second"]);
  await view.page.keyboard.press("j");  // the next run
  await view.page.keyboard.press("J");
  await shows(view, "third", "second", "first");
  await view.press("Undo");
  await shows(view, "third", "first", "second");
  await view.page.keyboard.press("u");
  await view.page.keyboard.press("u");
  await shows(view, "first", "second", "third");
  assert.deepEqual((await jobs()).map((job) => job.priority), [0, 0, 0]);
  view.assertSound();
});

function dragByEvents(view, run, onto, share) {
  return view.page.evaluate((from, to, at) => {
    const rowOf = (name) => document.querySelector(`input[aria-label="Choose ${name}"]`).closest("tr");
    const [dragged, target] = [rowOf(from), rowOf(to)];
    const { top, height } = target.getBoundingClientRect();
    const tell = (row, type) => row.dispatchEvent(
      new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: new DataTransfer(), clientY: top + at * height }));
    tell(dragged, "dragstart");
    tell(target, "dragover");
    tell(target, "drop");
    tell(dragged, "dragend");
  }, run, onto, share);
}

// Drags the row of a run onto another's, a share of its height from its top, where a line shows its place.
async function drag(view, run, onto, share, line) {
  if (process.env.FIREFOX) return dragByEvents(view, run, onto, share);  // without a window its mouse drags nothing
  const boxOf = async (name) => {
    const box = await view.find(`Choose ${name}`, "checkbox");
    return (await box.evaluateHandle((each) => each.closest("tr"))).boundingBox();
  };
  const [from, to] = [await boxOf(run), await boxOf(onto)];
  const { mouse } = view.page;
  await mouse.move(from.x + from.width - 20, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(from.x + from.width - 20, from.y + from.height / 2 - 6);
  await mouse.move(to.x + to.width - 20, to.y + share * to.height, { steps: 4 });
  await mouse.move(to.x + to.width - 21, to.y + share * to.height, { steps: 4 });
  await view.until((expected) => document.querySelector("[data-drop]")?.dataset.drop === expected, line);
  await mouse.up();
}

test("a run is dragged to another place", async () => {
  await submitHeld("first", "second", "third");
  const view = await it.browser.open("/queue");
  await shows(view, "first", "second", "third");
  await drag(view, "third", "first", 0.2, "before");
  await shows(view, "third", "first", "second");
  await drag(view, "third", "second", 0.8, "after");
  await shows(view, "first", "second", "third");
  assert.deepEqual(await names(), ["first", "second", "third"]);
  await drag(view, "second", "second", 0.8);  // onto itself
  await view.press("Undo");
  await shows(view, "third", "first", "second");
  view.assertSound();
});

test("a priority is written, and one that there is not is refused beside it", async () => {
  await submitHeld("first", "second");
  const view = await it.browser.open("/queue");
  await view.press("Choose second", "checkbox");
  const field = await view.find("Priority", "spinbutton");
  await view.write(field, "12\n");
  await view.sees("A priority is a whole number from −10 to 10.");
  await view.write(field, "4\n");
  await shows(view, "second", "first");
  assert.deepEqual((await jobs()).map((job) => job.priority), [4, 0]);
});

test("runs are released, held and cancelled, the last after a question", async () => {
  await it.store.ask("pool", "--pause");  // so that nothing starts
  await submitHeld("first", "second");
  const view = await it.browser.open("/queue");
  await view.press("Choose first", "checkbox");
  await view.press("Choose second", "checkbox");
  await view.press("Release");
  await view.find("Hold", "button");
  assert.deepEqual((await jobs()).map((job) => job.held), [false, false]);
  await view.page.keyboard.press("h");
  await view.find("Release", "button");
  assert.deepEqual((await jobs()).map((job) => job.held), [true, true]);
  await view.press("Choose second", "checkbox");
  await view.press("Cancel …");
  await view.sees("Cancel first?");
  assert.deepEqual(await view.accessibilityFaults(), []);
  await view.press("Keep");
  await view.page.keyboard.press("Delete");
  await view.press("Cancel first");
  await shows(view, "second");
  assert.deepEqual(await names(), ["second"]);
  await it.store.ask("pool", "--resume");
  view.assertSound();
});

test("the pool's settings are changed", async () => {
  const view = await it.browser.open("/queue");
  const settings = async () => (await it.store.json("pool")).settings;
  await (await view.find("Policy", "combobox")).select("fast");
  await view.press("Pause");
  await view.until(() => document.querySelector(".pool-bar [aria-pressed=true]")?.textContent === "Pause");
  await view.press("Drain");
  await view.until(() => document.querySelectorAll(".pool-bar [aria-pressed=true]").length === 2);
  const field = await view.find("Devices of each kind that the pool may give away", "spinbutton");
  await field.type("1\n");
  await view.press("Pause");
  await view.until(() => document.querySelectorAll(".pool-bar [aria-pressed=true]").length === 1);
  const { policy, paused, draining, devices } = await settings();
  assert.deepEqual({ policy, paused, draining, devices }, { policy: "fast", paused: false, draining: true, devices: 1 });
  await it.store.ask("pool", "--policy", "fair", "--no-drain", "--devices", "all");
  view.assertSound();
});
