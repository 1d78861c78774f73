// SPDX-License-Identifier: Apache-2.0
// How charts are looked at: their axes, smoothing, and whether they go along with what trains.
import { button, h, setAttributes } from "../base/dom";
import { say } from "../base/say";
import type { Axis } from "../base/types";
import { strengths } from "../chart/smooth";
import type { LogChoice, ViewState } from "../chart/view_state";

const axisNames: [Axis, string][] = [["time", say("Wall time")], ["step", say("Steps")], ["progress", say("Iterations")]];
const logNames: [LogChoice, string][] = [["auto", say("Auto y")], ["log", say("Log y")], ["linear", say("Linear y")]];

function choice<T extends string>(label: string, options: [T, string][], chosen: (value: T) => void): HTMLSelectElement {
  const select = h("select", { "aria-label": label }, ...options.map(([value, text]) => h("option", { value }, text)));
  select.addEventListener("change", () => chosen(select.value as T));
  return select;
}

/** `more` stands before the button that shows all again. */
export function viewControls(view: ViewState, ...more: HTMLElement[]): { element: HTMLElement; end: () => void } {
  const follow = button(say("Follow"), () => view.setFollow(!view.follows), { title: say("Keep the newest step in view (F)") });
  const axis = choice(say("X axis"), axisNames, (value) => view.setAxis(value));
  const smoothings = strengths.map((value): [string, string] => (
    [String(value), value === 0 ? say("No smoothing") : say("Smoothing {}", value)]));
  const smoothing = choice(say("Smoothing"), smoothings, (value) => view.setSmoothing(Number(value)));
  const log = choice(say("Y axis"), logNames, (value) => view.setLog(value));
  const logX = button(say("Log x"), () => view.setLogX(!view.logX), { title: say("Logarithmic horizontal axis (Shift L)") });
  const reset = button(say("Reset zoom"), () => view.reset(), { title: say("Show the whole run (0, or double-click a chart)") });
  const show = () => {
    setAttributes(follow, { "aria-pressed": String(view.follows) });
    setAttributes(logX, { "aria-pressed": String(view.logX) });
    reset.disabled = !view.isZoomed;
    axis.value = view.axis;
    log.value = view.log;
    if (!smoothings.some(([value]) => value === String(view.smoothing))) {
      smoothings.push([String(view.smoothing), say("Smoothing {}", view.smoothing)]);
      smoothing.append(h("option", { value: String(view.smoothing) }, say("Smoothing {}", view.smoothing)));
    }
    smoothing.value = String(view.smoothing);
  };
  show();
  return { element: h("div.view-controls", {}, follow, axis, logX, smoothing, log, ...more, reset), end: view.changed.listen(show) };
}
