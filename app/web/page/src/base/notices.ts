// SPDX-License-Identifier: Apache-2.0
// Tells by the browser's notifications that a run or a sweep has finished or failed, or that runs wait for a pool that does
// nothing, while nobody looks at the page. The browser is asked for permission when a person first wants it (the menu View).
// The lists are asked for every 20 s, also while the page is hidden, when its streams rest; a browser may delay that to a
// minute.
import * as api from "./api";
import { keep, kept } from "./kept";
import { go, pathOf } from "./route";
import { say } from "./say";
import type { WaitingQueue } from "./types";

const rest = 20; // seconds
const ends: readonly string[] = ["finished", "failed"];

/** A thing that a person may be told of: a run, a sweep, or the pool. */
export interface Watched {
  key: string; // unique
  state: string;
  title: string; // of a notice about its state
  body: string;
  address: string; // to which a press on the notice leads
}

/** Returns what ended well or badly since `before`, of which each state is told by its key. */
export function endedSince(before: ReadonlyMap<string, string>, now: readonly Watched[]): Watched[] {
  return now.filter(({ key, state }) => {
    const former = before.get(key);
    return former !== undefined && !ends.includes(former) && ends.includes(state);
  });
}

/**
 * Returns the pool as a thing to be told of. Its state is "failed" where runs wait for it and it does nothing, and did
 * nothing at the look before, of which `former` is the state: a pool that is just being started is not one.
 */
export function poolOf({ queue, pool, heartbeat }: WaitingQueue, former: string | undefined): Watched {
  const waiting = queue.filter((job) => job.state === "pending").length;
  const hang = heartbeat?.hang ?? "";
  const isIdle = waiting > 0 && (hang !== "" || !pool.alive || pool.paused);
  const state = !isIdle ? "running" : former === undefined || former === "running" ? "waits" : "failed";
  const title = hang !== "" ? say("The pool hangs") : pool.alive ? say("The pool is paused") : say("No pool is running");
  const body = hang || (waiting === 1 ? say("1 run waits for devices") : say("{} runs wait for devices", waiting));
  return { key: "pool", state, title, body, address: pathOf("queue") };
}

let states: Map<string, string> | null = null; // by key; null: not asked for yet
let timer: ReturnType<typeof setInterval> | undefined;

const isSeen = () => !document.hidden && document.hasFocus();

function show({ key, title, body, address }: Watched): void {
  const notice = new Notification(title, { body, tag: `batchscope ${key}` });
  notice.addEventListener("click", () => {
    focus();
    go(address);
    notice.close();
  });
}

async function watched(): Promise<Watched[]> {
  const [{ runs }, { sweeps }, queue] = await Promise.all([api.runs("", "-created"), api.sweeps(), api.queue()]);
  return [
    ...runs.map((run): Watched => (
      { key: run.id, state: run.state, title: run.state === "failed" ? say("{} has failed", run.name || run.id) : say("{} has finished", run.name || run.id), body: run.message || run.shown.detail, address: pathOf("run", run.id) })),
    ...sweeps.map(({ name, state, message, shown }): Watched => (
      { key: `sweep ${name}`, state, title: state === "failed" ? say("The sweep {} has failed", name) : say("The sweep {} has finished", name), body: message || say("{} trials · best {}", shown.done, shown.best), address: pathOf("sweep", name) })),
    poolOf(queue, states?.get("pool")),
  ];
}

async function look(): Promise<void> {
  try {
    const now = await watched();
    if (states !== null && !isSeen()) endedSince(states, now).forEach(show);
    states = new Map(now.map(({ key, state }) => [key, state]));
  } catch {
    return; // the shell says that the connection is lost
  }
}

function watch(): void {
  if (timer !== undefined) return;
  timer = setInterval(() => void look(), 1000 * rest);
  void look();
}

function unwatch(): void {
  clearInterval(timer);
  timer = undefined;
  states = null;
}

export const canNotify = () => "Notification" in window;
export const notifies = () => canNotify() && kept("notices") === "on" && Notification.permission === "granted";

export function startNotices(): void {
  if (notifies()) watch();
}

/** Returns whether notifications are on now: a browser may refuse them. */
export async function chooseNotices(isOn: boolean): Promise<boolean> {
  const isAllowed = isOn && (await Notification.requestPermission()) === "granted";
  keep("notices", isAllowed ? "on" : "off");
  if (isAllowed) watch();
  else unwatch();
  return isAllowed;
}
