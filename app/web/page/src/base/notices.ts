// SPDX-License-Identifier: Apache-2.0
// Tells by the browser's notifications that a run has finished or failed, while nobody looks at the page. The browser is
// asked for permission when a person first wants it (the menu View). The list of runs is asked for every 20 s, also while
// the page is hidden, when its streams rest; a browser may delay that to a minute.
import * as api from "./api";
import { keep, kept } from "./kept";
import { go, pathOf } from "./route";
import type { RunSummary } from "./types";

const rest = 20; // seconds
const told: readonly string[] = ["finished", "failed"];

/** Returns the runs that ended well or badly since `before`, of which each run's state is told by its id. */
export function endedSince(before: ReadonlyMap<string, string>, runs: readonly RunSummary[]): RunSummary[] {
  return runs.filter((run) => {
    const state = before.get(run.id);
    return state !== undefined && !told.includes(state) && told.includes(run.state);
  });
}

let states: Map<string, string> | null = null; // of each run, by its id; null: not asked for yet
let timer: ReturnType<typeof setInterval> | undefined;

const isSeen = () => !document.hidden && document.hasFocus();

function show(run: RunSummary): void {
  const name = run.name || run.id;
  const notice = new Notification(`${name} has ${run.state}`, { body: run.message || run.shown.detail, tag: `batchscope ${run.id}` });
  notice.addEventListener("click", () => {
    focus();
    go(pathOf("run", run.id));
    notice.close();
  });
}

async function look(): Promise<void> {
  try {
    const { runs } = await api.runs("", "-created");
    if (states !== null && !isSeen()) endedSince(states, runs).forEach(show);
    states = new Map(runs.map((run) => [run.id, run.state]));
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
