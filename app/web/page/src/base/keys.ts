// SPDX-License-Identifier: Apache-2.0
// Keys, and the sheet that lists them. Each view adds its keys with a text for each. While a person writes, or a dialog is
// open, keys do not act.
import { button, h } from "./dom";
import { say } from "./say";

export interface Key {
  key: string; // as KeyboardEvent has it
  text: string; // what it does
  shown?: string; // in the sheet, where that is not the key itself
  act?: () => void; // none: somebody else hears it
}

interface Section {
  title: string;
  keys: Key[];
}

const sections: Section[] = [];

/** Returns what takes the keys away again. */
export function addKeys(title: string, keys: Key[]): () => void {
  const section = { title, keys };
  sections.push(section);
  return () => void sections.splice(sections.indexOf(section), 1);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, select"));
}

export function startKeys(): void {
  addKeys(say("Everywhere"), [{ key: "?", text: say("Show this list of keys"), act: showSheet }]);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isWriting(event.target) || document.querySelector("dialog[open]")) return;
    const found = sections.flatMap((section) => section.keys).findLast((each) => each.key === event.key && each.act);
    if (found === undefined) return;
    event.preventDefault();
    found.act!();
  });
}

export function showSheet(): void {
  const columns = sections.map((section) =>
    h("section", {}, h("h3", {}, section.title), h("dl", {}, ...section.keys.flatMap((each) => [
      h("dt", {}, h("kbd", {}, each.shown ?? each.key)), h("dd", {}, each.text)]))));
  const close = button(say("Close"), () => dialog.close());
  const dialog = h("dialog.sheet", { "aria-labelledby": "sheet-title" },
    h("header", {}, h("h2", { id: "sheet-title" }, say("Keys")), close), h("div.sheet-columns", {}, ...columns));
  showDialog(dialog);
}

/** A dialog that is gone once it is closed, by Escape or a press beside it as well. */
export function showDialog(dialog: HTMLDialogElement): void {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
