// SPDX-License-Identifier: Apache-2.0
// The header of a run: what runs, how far it is, and how the charts below are looked at.
import { fill, h, setAttributes, setText } from "../base/dom";
import { isRecording } from "../base/recording";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { unheard } from "../base/stream";
import { isActive } from "../base/types";
import type { Dashboard } from "./dashboard";
import type { RunSession } from "./session";
import { viewControls } from "./view_controls";

export function header(session: RunSession, dashboard: Dashboard): { element: HTMLElement; links: HTMLElement; end: () => void } {
  const endings = new Endings();
  const name = h("h1", {}, session.id);
  const chip = h("span.chip", { role: "status" });
  const charts = h("div.menu-list");
  const menu = h("details.menu", {}, h("summary", {}, say("Charts")), charts);
  const controls = viewControls(session.view, menu);
  const epoch = h("span.dim");
  const time = h("span.dim");
  const bar = h("progress", { max: 1, value: 0, "aria-label": say("Progress of the run") });
  const links = h("nav.run-links", { "aria-label": say("More about this run") },
    h("a", { href: pathOf("explorer", session.id) }, say("Explorer")),
    h("a", { href: pathOf("scaling", session.id) }, say("Why it scaled")),
    !isRecording && h("a", { href: pathOf("log", session.id) }, say("Log")));

  const showCharts = () => {
    const names = new Set(dashboard.shown.map((spec) => spec.name));
    fill(charts, ...dashboard.available.map((spec) => {
      const box = h("input", { type: "checkbox", checked: names.has(spec.name) });
      box.addEventListener("change", () => dashboard.toggle(spec.name));
      return h("label", {}, box, spec.title);
    }));
  };
  let silence = 0; // s, for which nothing was heard
  const showRun = () => {
    const run = session.detail?.run;
    const { state, status } = session;
    if (run === undefined || state === null) return;
    setText(name, run.name || run.id);
    // The last report may be old.
    const isUnknown = silence > 0 && isActive(state);
    const shown = status?.shown ?? run.shown;
    const whose = state === "paused" ? run.shown.whose : "";
    setText(chip, isUnknown ? say("Silent for {} s", silence) : whose === "" ? shown.state : `${shown.state} · ${whose}`);
    setAttributes(chip, { "data-tone": isUnknown ? "warning" : shown.tone });
    setText(epoch, shown.progress);
    bar.value = status?.total_fraction ?? run.fraction;
    setText(time, shown.time);
    document.title = `${run.name || run.id} · BatchScope`;
  };
  // A press beside a menu closes it.
  endings.on(document, "pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  endings.on(menu, "keydown", (event) => {
    if (event.key === "Escape") menu.open = false;
  });
  endings.add(
    () => controls.end(),
    dashboard.chosen.listen(showCharts),
    session.statusChanged.listen(showRun),
    unheard.listen((seconds) => {
      silence = seconds;
      showRun();
    }),
  );
  const element = h("header.run-header", {},
    h("div.run-title", {}, name, chip),
    controls.element,
    h("div.run-progress", {}, epoch, bar, time, links));
  return { element, links, end: () => endings.end() };
}
