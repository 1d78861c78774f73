// SPDX-License-Identifier: Apache-2.0
//
// A store of a test's own: a copy of the recorded one (record_store.mjs), in a folder that vanishes with it.
// Whatever still trains there is stopped first.
import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ENDED = ["finished", "stopped", "failed", "interrupted", "damaged"];
const BIN = process.env.BATCHSCOPE_BIN;

export class Store {
  constructor(folder) {
    this.folder = folder;
    this.environment = {
      ...process.env,
      BATCHSCOPE_DB: join(folder, "runs.db"),
      XDG_DATA_HOME: folder,
      XDG_STATE_HOME: folder,
      PATH: `${BIN}:${process.env.PATH}`,
    };
  }

  // The name is short because sockets lie below it.
  static async copy() {
    const folder = await mkdtemp(join(tmpdir(), "page-"));
    for (;;) {
      try {
        await cp(process.env.PAGE_STORE, folder, { recursive: true });
        return new Store(folder);
      } catch (error) {
        if (error.code !== "ENOENT") throw error;  // else a process that recorded it closed its database just now
      }
    }
  }

  start(args, options = {}) {
    return spawn(join(BIN, "batchscope"), args, {
      cwd: this.folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    });
  }

  // Returns the output of `batchscope ARGS`; throws where it fails.
  async ask(...args) {
    const child = this.start(args);
    let out = "", err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`batchscope ${args.join(" ")}: exit code ${code}\n${out}${err}`);
    return out;
  }

  async json(...args) {
    return JSON.parse(await this.ask(...args, "--json"));
  }

  async runs(where = "") {
    return (await this.json("ls", ...(where ? ["--where", where] : []))).runs;
  }

  async idOf(name) {
    const run = (await this.runs()).find((each) => each.name === name);
    if (!run) throw new Error(`the store has no run called ${name}`);
    return run.id;
  }

  // A run of digits that trains until it is stopped, or for three minutes where the test is killed. Returns its id.
  async train(name, ...more) {
    const options = ["--detach", "--name", name, "--at", "elapsed=180s:stop", ...more];
    return (await this.ask("run", "digits", ...options, "--", "--epochs", "2000")).trim();
  }

  async close() {
    const live = (await this.runs()).filter((run) => !ENDED.includes(run.state));
    await Promise.allSettled(live.map((run) => this.ask("stop", run.id)));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
