// SPDX-License-Identifier: Apache-2.0
// Addresses: which view a path is, and what the query says of how it is looked at. Every view has an address that can be
// shared, so whatever a person chooses is written into it. In a recording, which is one file, paths stand behind its "#".
import { isRecording } from "./recording";
import { Signal } from "./signal";

const root = isRecording ? "#/" : "/";

export type View = "runs" | "run" | "explorer" | "scaling" | "log" | "compare" | "queue" | "sweeps" | "sweep" | "trash" | "lessons" | "lesson" | "nowhere";

export interface Route {
  view: View;
  id: string; // of the run, the sweep or the lesson, else ""
  query: URLSearchParams;
}

export function parse(path: string, query = ""): Route {
  const parts = path.split("/").filter((part) => part !== "").map(decode);
  const route = (view: View, id = ""): Route => ({ view, id, query: new URLSearchParams(query) });
  const [first, id, page] = parts;
  if (parts.length === 0) return route("runs");
  if (parts.length === 1 && (first === "compare" || first === "queue" || first === "sweeps" || first === "trash" || first === "lessons")) return route(first);
  if (first === "sweeps" && id !== undefined && parts.length === 2) return route("sweep", id);
  if (first === "lessons" && id !== undefined && parts.length === 2) return route("lesson", id);
  if (first === "run" && id !== undefined) {
    if (parts.length === 2) return route("run", id);
    if (parts.length === 3 && (page === "explorer" || page === "scaling" || page === "log")) return route(page, id);
  }
  return route("nowhere");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function pathOf(view: View, id = ""): string {
  const name = encodeURIComponent(id);
  switch (view) {
    case "run":
      return `${root}run/${name}`;
    case "explorer":
    case "scaling":
    case "log":
      return `${root}run/${name}/${view}`;
    case "sweep":
      return `${root}sweeps/${name}`;
    case "lesson":
      return `${root}lessons/${name}`;
    case "compare":
    case "queue":
    case "sweeps":
    case "trash":
    case "lessons":
      return `${root}${view}`;
    default:
      return root;
  }
}

/** Returns the query with these values set, and those that are null or "" removed. */
export function withQuery(query: URLSearchParams, changes: Record<string, string | null>): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") changed.delete(name);
    else changed.set(name, value);
  }
  return changed;
}

/** A path with its query, as a person would write it: commas and colons as they are. */
export function address(path: string, query: URLSearchParams): string {
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return text === "" ? path : `${path}?${text}`;
}

export const navigated = new Signal<Route>();

function place(): [path: string, query: string] {
  if (!isRecording) return [location.pathname, location.search];
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  return [path, query];
}

export function here(): Route {
  writeQuery();
  return parse(...place());
}

export function go(target: string): void {
  writeQuery();
  history.pushState(null, "", target);
  navigated.emit(here());
}

const rest = 400; // ms between two changes of the address: browsers refuse more than a few a second

let unwritten: Record<string, string | null> = {};
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says how the present view is looked at, without leaving it: a moment later, since a gesture changes it with every frame. */
export function setQuery(changes: Record<string, string | null>): void {
  Object.assign(unwritten, changes);
  timer ??= setTimeout(writeQuery, rest);
}

function writeQuery(): void {
  if (timer === undefined) return;
  const [path, before] = place();
  const query = withQuery(new URLSearchParams(before), unwritten);
  forgetQuery();
  history.replaceState(history.state, "", (isRecording ? "#" : "") + address(path, query));
}

function forgetQuery(): void {
  clearTimeout(timer);
  timer = undefined;
  unwritten = {};
}

/** Links within the page change the view without loading it anew. */
export function followLinks(): void {
  addEventListener("pagehide", writeQuery);
  addEventListener("popstate", () => {
    forgetQuery(); // of a view that has been left
    navigated.emit(here());
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target !== "" || link.origin !== location.origin) return;
    if (link.hasAttribute("download") || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    go(isRecording ? link.hash : link.pathname + link.search);
  });
}
