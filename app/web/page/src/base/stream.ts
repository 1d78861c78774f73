// SPDX-License-Identifier: Apache-2.0
// Server-sent events that neither lose nor repeat anything: each has a cursor, and whoever comes back says which was the
// last. The connection is closed while nobody looks (a browser allows six to a host), and tried again, less and less often,
// where it breaks. The root says how it stands: data-connection is live, lost or idle.
import { Signal } from "./signal";

export type Connection = "live" | "lost" | "idle";

const longest = 8; // seconds between two tries

const streams = new Set<Stream>();
export const connectionChanged = new Signal<Connection>();

function tell(): void {
  const states = [...streams].map((stream) => stream.state);
  const state = states.includes("lost") ? "lost" : states.includes("live") ? "live" : "idle";
  if (document.documentElement.dataset["connection"] === state) return;
  document.documentElement.dataset["connection"] = state;
  connectionChanged.emit(state);
}

export type Heard = (data: unknown) => void;

export class Stream {
  state: Connection = "idle";
  private source: EventSource | null = null;
  private wait = 1;
  private hasBeenOpen = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly seen = () => (document.hidden ? this.rest() : this.open());

  /**
   * `opened` is called at each new connection, where what is no event has to be asked for again. Events behind `cursor`
   * are heard, or those from now on.
   */
  constructor(private readonly path: string, private readonly heard: Record<string, Heard>,
    private readonly opened: (isAgain: boolean) => void = () => {}, private cursor = "") {
    streams.add(this);
    document.addEventListener("visibilitychange", this.seen);
    this.seen();
    tell();
  }

  end(): void {
    document.removeEventListener("visibilitychange", this.seen);
    this.rest();
    streams.delete(this);
    tell();
  }

  private open(): void {
    if (this.source !== null) return;
    clearTimeout(this.timer);
    const joint = this.path.includes("?") ? "&" : "?";
    const source = new EventSource(this.cursor === "" ? this.path : `${this.path}${joint}after=${encodeURIComponent(this.cursor)}`);
    this.source = source;
    source.addEventListener("open", () => {
      this.wait = 1;
      this.set("live");
      this.opened(this.hasBeenOpen);
      this.hasBeenOpen = true;
    });
    source.addEventListener("error", () => {
      // The browser's own tries end at the first answer that is no stream, such as that of a restarted tunnel.
      source.close();
      this.source = null;
      this.set("lost");
      this.timer = setTimeout(() => this.open(), 1000 * this.wait);
      this.wait = Math.min(longest, 2 * this.wait);
    });
    for (const [name, hear] of Object.entries(this.heard)) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        if (event.lastEventId !== "") this.cursor = event.lastEventId;
        hear(JSON.parse(event.data));
      });
    }
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.set("idle");
  }

  private set(state: Connection): void {
    this.state = state;
    tell();
  }
}
