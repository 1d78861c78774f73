// SPDX-License-Identifier: Apache-2.0
// Data of the store that a view shows, asked for again as soon as it has changed.
import { Stream } from "./stream";

const rest = 5; // s, behind which times that go on, such as how long a run has waited, are asked for again

export type Changed = "runs" | "queue" | "sweeps";

/**
 * Calls `load` now, at changes of one of these, and when the connection has come about; never while it still loads.
 * Returns what ends it.
 */
export function keepFresh(kinds: readonly Changed[], load: () => Promise<void>): () => void {
  let isLoading = false;
  let isStale = false;
  const ask = async () => {
    isStale = isLoading;
    if (isLoading) return;
    isLoading = true;
    await load();
    isLoading = false;
    if (isStale) void ask();
  };
  const heard = (data: unknown) => {
    if ((data as { what: string[] }).what.some((each) => (kinds as readonly string[]).includes(each))) void ask();
  };
  void ask();
  // Changes from before the connection were not received.
  const stream = new Stream("/api/changes", { changed: heard }, () => void ask());
  const timer = setInterval(() => {
    if (!document.hidden) void ask();
  }, 1000 * rest);
  return () => {
    clearInterval(timer);
    stream.end();
  };
}
