// SPDX-License-Identifier: Apache-2.0
//
// `batchscope serve` of a store, as a person would start it. It can be killed and started again at the same port.
import { createInterface } from "node:readline";

export class Server {
  constructor(store, args) {
    this.store = store;
    this.args = args;
  }

  static async start(store, ...args) {
    const server = new Server(store, args);
    await server.#begin("0");
    return server;
  }

  get port() {
    return new URL(this.url).port;
  }

  // The address of a path, which needs no token once the first has been opened.
  at(path) {
    return new URL(path, this.url).href;
  }

  async #begin(port) {
    this.child = this.store.start(["serve", "--port", port, "--json", ...this.args]);
    let said = "";
    this.child.stderr.on("data", (data) => (said += data));
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    const lines = createInterface({ input: this.child.stdout });
    const first = await Promise.race([
      new Promise((resolve) => lines.once("line", resolve)),
      this.ended.then((code) => { throw new Error(`batchscope serve ended with ${code}: ${said}`); }),
    ]);
    ({ url: this.url, token: this.token } = JSON.parse(first));
  }

  async kill(signal = "SIGKILL") {
    this.child.kill(signal);
    await this.ended;
  }

  async startAgain() {
    await this.#begin(this.port);
  }
}
