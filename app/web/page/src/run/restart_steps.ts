// SPDX-License-Identifier: Apache-2.0
// The parts of the last restart's pause, or how far the one under way is.
import { fill, h, setText } from "../base/dom";
import * as format from "../base/format";
import type { RunSession } from "./session";

const pauseParts = ["checkpoint", "stop", "launch", "restore", "first step"] as const;

export function restartSteps(session: RunSession): { element: HTMLElement; end: () => void } {
  const title = h("h2", {}, "No restart yet");
  const list = h("ul.steps");
  const element = h("section.restart", { "aria-label": "Restart" }, h("div.section-head", {}, title), list);
  const row = (state: string, part: string, value: string) =>
    h("li", { "data-state": state }, h("span.dot"), h("span", {}, part.charAt(0).toUpperCase() + part.slice(1)), h("span.value", {}, value));

  const update = () => {
    const { detail, status } = session;
    if (detail === null) return;
    if (status?.phase) {
      const running = pauseParts.indexOf(status.phase as (typeof pauseParts)[number]);
      setText(title, status.state === "starting" ? "Starting" : `Restarting on ${format.replicas(Math.max(1, status.target_replicas))}`);
      fill(list, ...pauseParts.map((part, i) => row(i < running ? "done" : i === running ? "on" : "open", part,
        i === running ? `${format.number(status.phase_seconds, 2)} s` : "")));
      return;
    }
    const last = detail.generations.findLast((generation) => generation.pause !== null);
    element.hidden = last === undefined;
    if (last === undefined) return;
    const before = detail.generations.find((generation) => generation.number === last.number - 1)?.replicas;
    setText(title, `Last restart, ${before ?? "?"} → ${last.replicas}, ${format.pause(last.pause!)}`);
    fill(list, ...pauseParts.map((part) => {
      const took = last.pause_parts[part];
      return row(took === undefined ? "open" : "done", part, took === undefined ? "" : format.pause(took));
    }));
  };
  const stops = [session.statusChanged.listen(update), session.detailChanged.listen(update)];
  return { element, end: () => stops.forEach((stop) => stop()) };
}
