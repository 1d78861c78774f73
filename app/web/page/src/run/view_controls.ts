// SPDX-License-Identifier: Apache-2.0
// How charts are looked at: their axes, smoothing, and whether they go along with what trains.
import { button, h, setAttributes } from "../base/dom";
import type { Axis } from "../base/types";
import { strengths } from "../chart/smooth";
import type { LogChoice, ViewState } from "../chart/view_state";

const axisNames: [Axis, string][] = [["time", "Wall time"], ["step", "Steps"], ["progress", "Iterations"]];
const logNames: [LogChoice, string][] = [["auto", "Auto y"], ["log", "Log y"], ["linear", "Linear y"]];

function choice<T extends string>(label: string, options: [T, string][], chosen: (value: T) => void): HTMLSelectElement {
  const select = h("select", { "aria-label": label }, ...options.map(([value, text]) => h("option", { value }, text)));
  select.addEventListener("change", () => chosen(select.value as T));
  return select;
}

/** `more` stands before the button that shows all again. */
export function viewControls(view: ViewState, ...more: HTMLElement[]): { element: HTMLElement; end: () => void } {
  const follow = button("Follow", () => view.setFollow(!view.follows), { title: "Keep the newest step in view (F)" });
  const axis = choice("X axis", axisNames, (value) => view.setAxis(value));
  const smoothings = strengths.map((value): [string, string] => (
    [String(value), value === 0 ? "No smoothing" : `Smoothing ${value}`]));
  const smoothing = choice("Smoothing", smoothings, (value) => view.setSmoothing(Number(value)));
  const log = choice("Y axis", logNames, (value) => view.setLog(value));
  const logX = button("Log x", () => view.setLogX(!view.logX), { title: "Logarithmic horizontal axis (Shift L)" });
  const reset = button("Reset zoom", () => view.reset(), { title: "Show the whole run (0, or double-click a chart)" });
  const show = () => {
    setAttributes(follow, { "aria-pressed": String(view.follows) });
    setAttributes(logX, { "aria-pressed": String(view.logX) });
    reset.disabled = !view.isZoomed;
    axis.value = view.axis;
    log.value = view.log;
    if (!smoothings.some(([value]) => value === String(view.smoothing))) {
      smoothings.push([String(view.smoothing), `Smoothing ${view.smoothing}`]);
      smoothing.append(h("option", { value: String(view.smoothing) }, `Smoothing ${view.smoothing}`));
    }
    smoothing.value = String(view.smoothing);
  };
  show();
  return { element: h("div.view-controls", {}, follow, axis, logX, smoothing, log, ...more, reset), end: view.changed.listen(show) };
}
