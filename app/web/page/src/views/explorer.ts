// SPDX-License-Identifier: Apache-2.0
// The goodput explorer of a run, as a page of its own.
import { h } from "../base/dom";
import { type Route, setQuery } from "../base/route";
import { say } from "../base/say";
import { explorerPanel } from "../explorer/panel";
import { runHead } from "./run_head";

export function show(root: HTMLElement, route: Route): () => void {
  const head = runHead(route.id, say("Goodput explorer"));
  const panel = explorerPanel(route.id, {
    replicas: Math.max(0, Number(route.query.get("replicas") ?? 0)),
    told: (run) => head.show(run, say("Explorer of {}", run.run.name)),
    chosen: (replicas) => setQuery({ replicas: String(replicas) }),
  });
  root.append(h("div.page.is-full", {}, head.element, panel.element));
  return panel.end;
}
