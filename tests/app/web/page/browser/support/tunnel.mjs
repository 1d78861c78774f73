// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for `ssh -L`: a port of its own that leads to the server, and may break off.
import { once } from "node:events";
import { connect, createServer } from "node:net";

export class Tunnel {
  #sockets = new Set();
  #hangs = false;

  static async to(server) {
    const tunnel = new Tunnel();
    tunnel.server = server;
    await tunnel.#listen(0);
    return tunnel;
  }

  // The address and the token, named as a server's.
  get url() {
    return `http://localhost:${this.port}/`;
  }
  get token() {
    return this.server.token;
  }

  async #listen(port) {
    this.entrance = createServer((near) => {
      const far = connect(Number(this.server.port), "127.0.0.1");
      for (const [from, to] of [[near, far], [far, near]]) {
        this.#sockets.add(from);
        if (!this.#hangs) from.pipe(to);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
    this.entrance.listen(port, "127.0.0.1");
    await once(this.entrance, "listening");
    this.port = this.entrance.address().port;
  }

  async breakOff() {
    this.entrance.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.entrance, "close");
  }

  // Cut without a word: whoever connects or has connected hears nothing more, and sees no end either.
  hang() {
    for (const socket of this.#sockets) socket.unpipe().pause();
    this.#hangs = true;
  }

  async mend() {
    this.#hangs = false;
    if (this.entrance.listening) return;
    await this.#listen(this.port);
  }
}
