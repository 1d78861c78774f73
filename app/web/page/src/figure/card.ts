// SPDX-License-Identifier: Apache-2.0
// A card: its title, a word or two about it in grey, what acts on it at the right, and what is in it.
import { type Child, h } from "../base/dom";

export interface CardOptions {
  title: string;
  note?: Child;
  actions?: Child[];
  isWide?: boolean; // takes the whole width of its grid
}

export function card({ title, note, actions = [], isWide }: CardOptions, ...children: Child[]): HTMLElement {
  const head = h("header.card-head", {}, h("h2", {}, title), h("span.unit", {}, note), h("span.actions", {}, ...actions));
  return h("section", { class: isWide ? "card is-wide" : "card", "aria-label": title }, head, ...children);
}

/** Name and value beneath one another, in a row of such. */
export function totals(...entries: [string, Child][]): HTMLElement {
  return h("dl.totals", {}, ...entries.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}
