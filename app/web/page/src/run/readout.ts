// SPDX-License-Identifier: Apache-2.0
// The values at the cross-hair, or at the newest step.
import { h, setText } from "../base/dom";
import * as format from "../base/format";
import { beforeNextFrame } from "../chart/frame";
import { nearest } from "../chart/piece";
import type { RunSession } from "./session";

interface Entry {
  label: string;
  series: string;
  unit?: string;
  factor?: number;
  of?: string; // the series that bounds it
}

const entries: Entry[] = [
  { label: "Gain", series: "gain", of: "scale" },
  { label: "Noise scale", series: "noise_scale" },
  { label: "Learning rate", series: "lr" },
  { label: "Batch size", series: "batch_size", unit: "samples" },
  { label: "Throughput", series: "throughput", unit: "samples/s" },
  { label: "Goodput", series: "goodput", unit: "samples/s" },
  { label: "Efficiency", series: "efficiency" },
  { label: "Loss", series: "loss" },
  { label: "Step time", series: "step_time", unit: "ms", factor: 1000 },
  { label: "predicted", series: "model_step_time", unit: "ms", factor: 1000 },
];

export function readout(session: RunSession): { element: HTMLElement; end: () => void } {
  const title = h("h2", {}, "Measured");
  const values = entries.map(() => h("dd"));
  const element = h("section.readout", { "aria-label": "Measured" }, h("div.section-head", {}, title),
    h("dl", {}, ...entries.flatMap((entry, i) => [h("dt", {}, entry.label), values[i]!])));

  const update = () => {
    const { view, samples } = session;
    const at = view.cursor;
    const valueAt = (series: string) => {
      const found = nearest(samples.pieces(series), at ?? Infinity, true);
      return found ? found.piece.mean[found.index]! : NaN;
    };
    const step = valueAt("step");
    const words = Number.isNaN(step) ? "" : `step ${format.count(Math.round(step))}`;
    const place = view.axis === "time" && at !== null ? `${format.clock(at)}, ` : "";
    setText(title, at === null ? (words === "" ? "Measured" : `Measured, newest ${words}`) : `Measured at ${place}${words}`);
    entries.forEach((entry, i) => {
      const value = valueAt(entry.series) * (entry.factor ?? 1);
      const bound = entry.of === undefined ? NaN : valueAt(entry.of);
      const number = format.number(value) + (Number.isNaN(bound) ? "" : ` of ${format.number(bound)}`);
      setText(values[i]!, Number.isNaN(value) || entry.unit === undefined ? number : `${number} ${entry.unit}`);
    });
  };
  const soon = () => beforeNextFrame(update);
  const stops = [session.view.cursorMoved.listen(soon), session.samples.changed.listen(soon)];
  return { element, end: () => stops.forEach((stop) => stop()) };
}
