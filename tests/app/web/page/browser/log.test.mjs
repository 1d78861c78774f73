// SPDX-License-Identifier: Apache-2.0
// The log shows what a replica printed, and what it prints from then on.
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
