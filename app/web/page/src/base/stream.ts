// SPDX-License-Identifier: Apache-2.0
// Server-sent events that neither lose nor repeat anything: each has a cursor, and a page that connects again says which
// was its last. The connection is closed while nobody looks (a browser allows six to a host), and tried again, less and
// less often, where it breaks. One that hangs does not break: the server beats every few seconds, and a connection that is
// silent for longer is replaced. The root shows its state: data-connection is live, silent, lost or idle.
import { isRecording } from "./recording";
import { Signal } from "./signal";

export type Connection = "live" | "silent" | "lost" | "idle";

const longest = 8; // seconds between two tries
const patience = 10; // seconds without a word behind which a connection is given up, over twice the server's beat
const worst: Connection[] = ["lost", "silent", "live", "idle"];

const streams = new Set<Stream>();
export const connectionChanged = new Signal<Connection>();
/** Seconds for which nothing was heard, in steps of `patience`; 0 once there is word again. */
export const unheard = new Signal<number>();
let silence = 0;
let watch: ReturnType<typeof setInterval> | undefined;

function tell(): void {
  const states = [...streams].map((stream) => stream.state);
  const state = worst.find((each) => states.includes(each)) ?? "idle";
  if (document.documentElement.dataset["connection"] !== state) {
    document.documentElement.dataset["connection"] = state;
    connectionChanged.emit(state);
  }
  const longestSilence = Math.max(0, ...[...streams].map((stream) => stream.silence()));
  const before = silence;
  silence = patience * Math.floor(longestSilence / (1000 * patience));
  if (silence !== before) unheard.emit(silence);
}

// Compares with the clock on the wall, since a timer stands still while a laptop sleeps.
function look(): void {
  for (const stream of streams) stream.look();
  tell();
}

export type Heard = (data: unknown) => void;

export class Stream {
  state: Connection = "idle";
  private source: EventSource | null = null;
  private wait = 1;
  private heardAt = 0; // ms since 1970, as the next
  private openedAt = 0;
  private hasBeenOpen = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly seen = () => (document.hidden ? this.rest() : this.open());

  /**
   * `opened` is called at each new connection, where what is not an event has to be asked for again. Events behind `cursor`
   * are heard, or those from now on.
   */
  constructor(private readonly path: string, private readonly heard: Record<string, Heard>,
    private readonly opened: (isAgain: boolean) => void = () => {}, private cursor = "") {
    streams.add(this);
    watch ??= setInterval(look, 1000);
    document.addEventListener("visibilitychange", this.seen);
    this.seen();
    tell();
  }

  end(): void {
    document.removeEventListener("visibilitychange", this.seen);
    this.rest();
    streams.delete(this);
    if (streams.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
    tell();
  }

  /** Returns for how many ms it has waited for a word; 0 while it rests. */
  silence(): number {
    return this.heardAt === 0 ? 0 : Date.now() - this.heardAt;
  }

  /** Takes another connection in the place of one that says nothing. */
  look(): void {
    if (this.source === null || Date.now() - Math.max(this.heardAt, this.openedAt) < 1000 * patience) return;
    this.source.close();
    this.source = null;
    this.set("silent");
    this.open();
  }

  private open(): void {
    if (this.source !== null || isRecording) return;
    clearTimeout(this.timer);
    this.openedAt = Date.now();
    this.heardAt ||= this.openedAt;
    const joint = this.path.includes("?") ? "&" : "?";
    const source = new EventSource(this.cursor === "" ? this.path : `${this.path}${joint}after=${encodeURIComponent(this.cursor)}`);
    this.source = source;
    source.addEventListener("open", () => {
      this.wait = 1;
      this.heardAt = Date.now();
      this.set("live");
      this.opened(this.hasBeenOpen);
      this.hasBeenOpen = true;
    });
    source.addEventListener("error", () => {
      // The browser's own tries end at the first answer that is not a stream, such as that of a restarted tunnel.
      source.close();
      this.source = null;
      this.set("lost");
      this.timer = setTimeout(() => this.open(), 1000 * this.wait);
      this.wait = Math.min(longest, 2 * this.wait);
    });
    source.addEventListener("beat", () => (this.heardAt = Date.now()));
    for (const [name, hear] of Object.entries(this.heard)) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        this.heardAt = Date.now();
        if (event.lastEventId !== "") this.cursor = event.lastEventId;
        hear(JSON.parse(event.data));
      });
    }
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.heardAt = 0;
    this.set("idle");
  }

  private set(state: Connection): void {
    this.state = state;
    tell();
  }
}
