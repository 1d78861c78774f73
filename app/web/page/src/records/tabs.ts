// SPDX-License-Identifier: Apache-2.0
// Tabs, as the ARIA authoring practices describe them: arrows go from one to the next.
import { h, setAttributes } from "../base/dom";

export class Tabs {
  readonly element: HTMLElement;
  readonly more = h("span.actions"); // at the right of the tabs
  readonly #tabs: HTMLButtonElement[];
  readonly #panels: HTMLElement[];

  constructor(label: string, entries: readonly (readonly [string, HTMLElement])[]) {
    const id = (part: string, i: number) => `${part}-${label.replace(/\W+/g, "-").toLowerCase()}-${i}`;
    this.#tabs = entries.map(([name], i) =>
      h("button", { type: "button", role: "tab", id: id("tab", i), "aria-controls": id("panel", i) }, name));
    this.#panels = entries.map(([, panel], i) =>
      h("div", { role: "tabpanel", id: id("panel", i), "aria-labelledby": id("tab", i) }, panel));
    this.#tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.choose(i));
      tab.addEventListener("keydown", (event) => this.#press(event, i));
    });
    this.element = h("div.tabs", {}, h("div.tab-row", {}, h("div.tab-list", { role: "tablist", "aria-label": label }, ...this.#tabs), this.more), ...this.#panels);
    this.choose(0);
  }

  choose(index: number): void {
    this.#tabs.forEach((tab, i) => setAttributes(tab, { "aria-selected": String(i === index), tabindex: i === index ? 0 : -1 }));
    this.#panels.forEach((panel, i) => (panel.hidden = i !== index));
  }

  #press(event: KeyboardEvent, index: number): void {
    const last = this.#tabs.length - 1;
    const to = { ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.choose(to);
    this.#tabs[to]!.focus();
  }
}
