// SPDX-License-Identifier: Apache-2.0
// The values at the cross-hair, or at the newest step.
import { fill, h, setText } from "../base/dom";
import * as format from "../base/format";
import { say } from "../base/say";
import { beforeNextFrame } from "../chart/frame";
import { nearest } from "../chart/piece";
import type { RunSession } from "./session";

export function readout(session: RunSession): { element: HTMLElement; end: () => void } {
  const title = h("h2", {}, say("Measured"));
  const list = h("dl");
  let values: HTMLElement[] = [];
  const element = h("section.readout", { "aria-label": say("Measured") }, h("div.section-head", {}, title), list);

  const update = () => {
    const { view, samples } = session;
    const rows = session.detail?.readout ?? [];
    if (values.length !== rows.length) {
      values = rows.map(() => h("dd"));
      fill(list, ...rows.flatMap(({ label }, i) => [h("dt", {}, label), values[i]!]));
    }
    const at = view.cursor;
    const valueAt = (series: string) => {
      const found = nearest(samples.pieces(series), at ?? Infinity, true);
      return found ? found.piece.mean[found.index]! : NaN;
    };
    const step = valueAt("step");
    const newest = Number.isNaN(step) ? "" : format.count(Math.round(step));
    if (at === null) {
      setText(title, newest === "" ? say("Measured") : say("Measured, newest step {}", newest));
    } else {
      const place = [view.axis === "time" && format.clock(at), newest !== "" && say("step {}", newest)];
      setText(title, say("Measured at {}", place.filter(Boolean).join(", ")));
    }
    rows.forEach((row, i) => {
      const factor = row.factor ?? 1;
      const value = factor * valueAt(row.series);
      const bound = row.bound === undefined ? NaN : factor * valueAt(row.bound);
      const number = Number.isNaN(bound) ? format.number(value) : say("{} of {}", format.number(value), format.number(bound));
      setText(values[i]!, Number.isNaN(value) ? number : `${row.isPredicted ? "≈ " : ""}${number}${row.unit ? ` ${row.unit}` : ""}`);
    });
  };
  const soon = () => beforeNextFrame(update);
  const stops = [session.view.cursorMoved.listen(soon), session.samples.changed.listen(soon), session.detailChanged.listen(soon)];
  return { element, end: () => stops.forEach((stop) => stop()) };
}
