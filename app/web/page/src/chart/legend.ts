// SPDX-License-Identifier: Apache-2.0
// The legend above a chart: its title, its unit, and its lines with short samples of them, which switch them off and
// on. While the cross-hair stands somewhere, each has its value there.
import { h, setText } from "../base/dom";
import type { ChartFrame, LineLook } from "./line";
import type { Ink } from "./paint";

const many = 4; // lines, of which the names fit beside the title

interface Entry {
  key: string;
  button: HTMLButtonElement;
  sample: SVGLineElement;
  label: HTMLElement;
  value: Text;
  place: HTMLElement; // of the value
  widest: number; // value so far, in digits
}

// Returns about how many digits a number is wide: its points and commas are half as wide.
const widthOf = (text: string) => text.length - [...text].filter((each) => each === "." || each === ",").length / 2;

export class Legend {
  readonly element: HTMLElement;
  private readonly entries = new Map<string, Entry>();
  private shown = "";
  private readonly list = h("span.legend");

  constructor(frame: ChartFrame, private readonly toggled: (key: string) => void) {
    this.element = h("figcaption", {},
      h("span.chart-title", {}, frame.title), h("span.chart-unit", {}, frame.unit), this.list);
  }

  setLines(lines: { key: string; look: LineLook; ink: Ink; isHidden: boolean }[]): void {
    const shown = lines.map((line) => [line.key, line.look.label, line.isHidden, line.ink.colour, line.ink.dash].join()).join("\n");
    if (shown === this.shown) return; // at every frame of a gesture
    this.shown = shown;
    if (lines.map((line) => line.key).join("\n") !== [...this.entries.keys()].join("\n")) {
      this.entries.clear();
      for (const line of lines) this.entries.set(line.key, this.entry(line.key, line.look));
      this.element.classList.toggle("is-many", lines.length > many);
      this.list.style.setProperty("--columns", String(Math.ceil(lines.length / 2)));
      this.list.replaceChildren(...[...this.entries.values()].map((entry) => entry.button));
    }
    for (const line of lines) {
      const entry = this.entries.get(line.key)!;
      setText(entry.label, line.look.label);
      entry.button.setAttribute("aria-pressed", String(!line.isHidden));
      entry.sample.setAttribute("stroke", line.ink.colour);
      entry.sample.setAttribute("stroke-dasharray", line.ink.dash.join(" "));
    }
  }

  // A value has a place as wide as the widest so far, so that nothing else moves, or is laid out, when another stands there.
  /** The values at the cross-hair by the lines' keys, or null where there is none. */
  setValues(values: ReadonlyMap<string, string> | null): void {
    this.element.classList.toggle("has-values", values !== null);
    for (const [key, entry] of this.entries) {
      const text = values?.get(key) ?? "";
      if (entry.value.data === text) continue;
      entry.value.data = text;
      const width = widthOf(text);
      if (width <= entry.widest) continue;
      entry.widest = width;
      entry.place.style.setProperty("--widest", String(width));
    }
  }

  private entry(key: string, look: LineLook): Entry {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ width: "14", height: "8", "aria-hidden": "true" })) {
      svg.setAttribute(name, value);
    }
    const sample = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const width = look.isBound ? "1" : "2";
    for (const [name, value] of Object.entries({ x1: "0", x2: "14", y1: "4", y2: "4", "stroke-width": width })) {
      sample.setAttribute(name, value);
    }
    svg.append(sample);
    const value = document.createTextNode("");
    const place = h("span", {}, value);
    const label = h("span.legend-label");
    const button = h("button.legend-entry", { type: "button", title: look.label }, svg, label, h("span.legend-value", {}, place));
    button.addEventListener("click", () => this.toggled(key));
    return { key, button, sample, label, value, place, widest: 0 };
  }
}
