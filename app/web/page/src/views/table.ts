// SPDX-License-Identifier: Apache-2.0
// The table of views by address. A view fills the element that it is given, and returns what ends it.
import { h } from "../base/dom";
import type { Route, View } from "../base/route";
import { say } from "../base/say";
import * as compare from "./compare";
import * as explorer from "./explorer";
import * as lesson from "./lesson";
import * as lessons from "./lessons";
import * as log from "./log";
import * as queue from "./queue";
import * as run from "./run";
import * as runs from "./runs";
import * as scaling from "./scaling";
import * as sweep from "./sweep";
import * as sweeps from "./sweeps";
import * as trash from "./trash";

export type Show = (root: HTMLElement, route: Route) => () => void;

function nowhere(root: HTMLElement): () => void {
  root.append(h("div.page", {}, h("h1", {}, say("There is no such page")), h("p", {}, h("a", { href: "/" }, say("All runs")))));
  return () => {};
}

const shows: Partial<Record<View, Show>> = {
  runs: runs.show,
  run: run.show,
  explorer: explorer.show,
  scaling: scaling.show,
  log: log.show,
  compare: compare.show,
  queue: queue.show,
  sweeps: sweeps.show,
  sweep: sweep.show,
  trash: trash.show,
  lessons: lessons.show,
  lesson: lesson.show,
};

export function showOf(view: View): Show {
  return shows[view] ?? nowhere;
}

/** The views that have the list of runs beside them. */
export const besideRuns: readonly View[] = ["run", "explorer", "scaling", "log"];
