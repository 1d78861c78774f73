// SPDX-License-Identifier: Apache-2.0
// A chart under mouse, wheel, fingers and keys. Dragging with the mouse is uPlot's own. The plain wheel and one finger up
// and down belong to the page, which scrolls.
import type uPlot from "uplot";
import { Endings } from "../base/signal";
import type { ViewState } from "./view_state";

const keyStep = 1 / 60; // of the width, by which an arrow key moves the cross-hair
const zoomStep = 0.5;

export function listenToGestures(plot: uPlot, view: ViewState): Endings {
  const endings = new Endings();
  const over = plot.over;
  const valueAt = (event: MouseEvent) => plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");

  endings.on(over, "wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    const turn = event.deltaY !== 0 ? event.deltaY : event.deltaX; // with Shift some browsers turn it aside
    view.scale(Math.exp(Math.max(-100, Math.min(100, turn)) * 0.004), valueAt(event));
  }, { passive: false });

  // One finger moves the cross-hair, two zoom about the middle between them; one beside the charts takes it away.
  const fingers = new Map<number, number>();
  let apart = 0;
  const spread = () => {
    const [a, b] = [...fingers.values()] as [number, number];
    return Math.abs(a - b);
  };
  endings.on(over, "pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 2) apart = spread();
    else view.point(valueAt(event));
  });
  endings.on(over, "pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 1) view.point(valueAt(event));
    if (fingers.size !== 2) return;
    const now = Math.max(8, spread());
    const middle = [...fingers.values()].reduce((sum, x) => sum + x, 0) / 2;
    view.scale(Math.max(8, apart) / now, plot.posToVal(middle - over.getBoundingClientRect().left, "x"));
    apart = now;
  });
  endings.on(document, "pointerdown", (event) => {
    if (event.pointerType === "touch" && !plot.root.contains(event.target as Node)) view.point(null);
  }, { capture: true });
  for (const name of ["pointerup", "pointercancel"] as const) {
    endings.on(over, name, (event) => fingers.delete(event.pointerId));
  }
  return endings;
}

/**
 * Handles a key of the chart that has the focus. Returns whether the key was for it. `isAlwaysLog`: its axis is never
 * linear.
 */
export function pressKey(key: string, isShift: boolean, view: ViewState, isAlwaysLog: boolean): boolean {
  const { from, to } = view.axisRange(isAlwaysLog);
  const middle = view.cursor ?? view.shifted(from, 0.5, isAlwaysLog);
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight": {
      const sign = key === "ArrowLeft" ? -1 : 1;
      if (isShift) view.pan(sign * 0.2);
      else view.point(Math.max(from, Math.min(to, view.shifted(view.cursor ?? (sign > 0 ? from : to), sign * keyStep, isAlwaysLog))));
      return true;
    }
    case "Home":
      view.point(from);
      return true;
    case "End":
      view.point(to);
      return true;
    case "+":
    case "=":
      view.scale(zoomStep, middle);
      return true;
    case "-":
      view.scale(1 / zoomStep, middle);
      return true;
    case "Escape":
      view.point(null);
      return true;
    default:
      return false;
  }
}
