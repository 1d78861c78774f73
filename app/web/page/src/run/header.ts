// SPDX-License-Identifier: Apache-2.0
// What runs and how far it is, and how the charts below are looked at.
import { button, fill, h, setAttributes, setText } from "../base/dom";
import * as format from "../base/format";
import { pathOf } from "../base/route";
import { Endings } from "../base/signal";
import type { Axis } from "../base/types";
import { strengths } from "../chart/smooth";
import type { LogChoice } from "../chart/view_state";
import type { Dashboard } from "./dashboard";
import type { RunSession } from "./session";
import { epochText, stateText, timeText, toneOf } from "./words";

const axisNames: [Axis, string][] = [["time", "Wall time"], ["step", "Steps"], ["progress", "Iterations"]];
const logNames: [LogChoice, string][] = [["auto", "Auto y"], ["log", "Log y"], ["linear", "Linear y"]];

function choice<T extends string>(label: string, options: [T, string][], chosen: (value: T) => void): HTMLSelectElement {
  const select = h("select", { "aria-label": label }, ...options.map(([value, text]) => h("option", { value }, text)));
  select.addEventListener("change", () => chosen(select.value as T));
  return select;
}

export function header(session: RunSession, dashboard: Dashboard): { element: HTMLElement; end: () => void } {
  const { view } = session;
  const endings = new Endings();
  const name = h("h1", {}, session.id);
  const chip = h("span.chip", { role: "status" });
  const follow = button("Follow", () => view.setFollow(!view.follows), { title: "Keep the newest step in view (F)" });
  const axis = choice("X axis", axisNames, (value) => view.setAxis(value));
  const smoothings = strengths.map((value): [string, string] => (
    [String(value), value === 0 ? "No smoothing" : `Smoothing ${value}`]));
  const smoothing = choice("Smoothing", smoothings, (value) => view.setSmoothing(Number(value)));
  const log = choice("Y axis", logNames, (value) => view.setLog(value));
  const reset = button("Reset zoom", () => view.reset(), { title: "Show the whole run (0, or double-click a chart)" });
  const charts = h("div.menu-list");
  const menu = h("details.menu", {}, h("summary", {}, "Charts"), charts);
  const epoch = h("span.dim");
  const time = h("span.dim");
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  const links = h("nav.run-links", { "aria-label": "Of this run" },
    h("a", { href: pathOf("explorer", session.id) }, "Explorer"), h("a", { href: pathOf("log", session.id) }, "Log"));

  const showView = () => {
    setAttributes(follow, { "aria-pressed": String(view.follows) });
    reset.disabled = !view.isZoomed;
    axis.value = view.axis;
    log.value = view.log;
    if (!smoothings.some(([value]) => value === String(view.smoothing))) {
      smoothings.push([String(view.smoothing), `Smoothing ${view.smoothing}`]);
      smoothing.append(h("option", { value: String(view.smoothing) }, `Smoothing ${view.smoothing}`));
    }
    smoothing.value = String(view.smoothing);
  };
  const showCharts = () => {
    const names = new Set(dashboard.shown.map((spec) => spec.name));
    fill(charts, ...dashboard.available.map((spec) => {
      const box = h("input", { type: "checkbox", checked: names.has(spec.name) });
      box.addEventListener("change", () => dashboard.toggle(spec.name));
      return h("label", {}, box, spec.title);
    }));
  };
  const showRun = () => {
    const run = session.detail?.run;
    const { state, status } = session;
    if (run === undefined || state === null) return;
    setText(name, run.name || run.id);
    setText(chip, stateText(state, status));
    setAttributes(chip, { "data-tone": toneOf[state] });
    setText(epoch, epochText(status?.epoch ?? run.epoch, run.epochs, status?.step ?? run.step));
    bar.value = status?.total_fraction ?? run.fraction;
    const over = run.ended === null ? 0 : run.ended - run.created;
    setText(time, status ? timeText(status) : over > 0 ? format.duration(over) : "");
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
    view.changed.listen(showView),
    dashboard.chosen.listen(showCharts),
    session.statusChanged.listen(showRun),
  );
  showView();
  const element = h("header.run-header", {},
    h("div.run-title", {}, name, chip),
    h("div.view-controls", {}, follow, axis, smoothing, log, menu, reset),
    h("div.run-progress", {}, epoch, bar, time, links));
  return { element, end: () => endings.end() };
}
