// SPDX-License-Identifier: Apache-2.0
// Which view is at which address. A view fills the element that it is given, and returns what ends it.
import { h } from "../base/dom";
import type { Route, View } from "../base/route";
import * as run from "./run";
import * as runs from "./runs";

export type Show = (root: HTMLElement, route: Route) => () => void;

function nowhere(root: HTMLElement): () => void {
  root.append(h("div.page", {}, h("h1", {}, "Nothing is here"), h("p", {}, h("a", { href: "/" }, "All runs"))));
  return () => {};
}

const shows: Partial<Record<View, Show>> = {
  runs: runs.show,
  run: run.show,
};

export function showOf(view: View): Show {
  return shows[view] ?? nowhere;
}

/** The views that have the list of runs beside them. */
export const besideRuns: readonly View[] = ["run", "explorer", "log"];
