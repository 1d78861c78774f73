// SPDX-License-Identifier: Apache-2.0
//
// `record_store.mjs FOLDER` trains what the tests look at: two runs of digits, one of them on one replica and then on
// two, a sweep of six trials, and a script that calls itself, and prints, what would be a program in a page that does
// not escape it. Takes some twenty seconds of two cores.
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ATTACK } from "./attack.mjs";
import { Store } from "./store.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const store = new Store(folder);
await store.ask("run", "digits", "--headless", "--replicas", "1", "--name", "baseline", "--at", "epoch=1:replicas=2",
  "--", "--epochs", "3");
await store.ask("run", "digits", "--headless", "--replicas", "2", "--name", "faster", "--", "--epochs", "3", "--lr", "0.02");
await store.ask("sweep", "run", "--headless", join(here, "sweep.toml"));
await store.ask("run", "--headless", "--name", ATTACK, "--note", ATTACK, "--tag", "<b>", join(here, "attack.py"));
