// SPDX-License-Identifier: Apache-2.0
// The log shows what a replica printed, and what it prints from then on.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setUp } from "./support/case.mjs";

const it = setUp();

// Prints a word when a file appears.
const script = `import os, time
import batchscope
print("it begins", flush=True)
batchscope.record(loss=1.0)
while not os.path.exists("go"): time.sleep(0.05)
print("it goes on", flush=True)
while not os.path.exists("end"): time.sleep(0.05)
`;

test("what is printed later comes by itself", async () => {
  await writeFile(join(it.store.folder, "talks.py"), script);
  const run = (await it.store.ask("run", "--detach", "--name", "talks", join(it.store.folder, "talks.py"))).trim();
  const view = await it.browser.open(`/run/${run}/log`);
  await view.sees("it begins");
  await writeFile(join(it.store.folder, "go"), "");
  await view.sees("it goes on");
  await writeFile(join(it.store.folder, "end"), "");
  view.assertSound();
});

test("a long log is read from its end on, and earlier output is put before it", async () => {
  await writeFile(join(it.store.folder, "prints.py"), `import batchscope
for line in range(6000): print(f"line {line} of the log", flush=line == 5999)
batchscope.record(loss=1.0)
`);
  const run = (await it.store.ask("run", "--headless", "--name", "prints", join(it.store.folder, "prints.py")), await it.store.idOf("prints"));
  const view = await it.browser.open(`/run/${run}/log`);
  const lines = () => view.page.$eval("pre.log", (log) => log.textContent.split("\n").filter((line) => line.startsWith("line ")).map((line) => Number(line.split(" ")[1])));
  await view.sees("line 5999 of the log");
  assert.ok(!(await lines()).includes(0), "only its end is asked for");
  await view.press("Earlier output");
  await view.until(() => document.querySelector("pre.log").textContent.includes("line 3000 of"));
  while (await view.page.$("button:not([hidden])::-p-text(Earlier output)")) {
    const before = (await lines()).length;
    await view.press("Earlier output");
    await view.until((count) => document.querySelector("pre.log").textContent.split("\n").length > count + 1, before);
  }
  assert.deepEqual(await lines(), Array.from({ length: 6000 }, (_, i) => i));
  view.assertSound();
});
