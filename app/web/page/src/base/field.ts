// SPDX-License-Identifier: Apache-2.0
// A field of a dialog with its label, a hint, and below them what is wrong with it.
import { h, setAttributes, setText } from "./dom";
import { capital } from "./format";
import type { RecipeParameter } from "./types";

export type Editor = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** `name` is unique in the page. */
export class Field {
  readonly element: HTMLElement;
  private readonly complaint: HTMLElement;

  constructor(readonly name: string, label: string, readonly editor: Editor, hint = "") {
    const id = `field-${name.replace(".", "-")}`;
    this.complaint = h("p.complaint", { id: `${id}-complaint` });
    setAttributes(editor, { id, "aria-describedby": `${id}-complaint` });
    const isFlag = editor.type === "checkbox";
    const title = h("label", { for: id }, label);
    this.element = h("div", { class: isFlag ? "form-field is-flag" : "form-field" },
      ...(isFlag ? [h("span.form-flag", {}, editor, title)] : [title, editor]), h("p.hint", {}, hint), this.complaint);
  }

  complain(text: string): void {
    setText(this.complaint, capital(text));
    setAttributes(this.editor, { "aria-invalid": text === "" ? null : "true" });
  }
}

/** A line to write in. */
export const line = (value = "") => h("input", { type: "text", value, autocomplete: "off", spellcheck: "false" });

/** A choice of these values, each with its text. */
export const choice = (...options: [value: string, text: string][]) => h("select", {}, ...options.map(([value, text]) => h("option", { value }, text)));

/** Returns the editor of a recipe's parameter, at its default. */
export function editorOf(parameter: RecipeParameter): Editor {
  if (parameter.type === "choice") {
    const select = h("select", {}, ...parameter.choices.map((choice) => h("option", { value: choice }, choice)));
    select.value = parameter.value;
    return select;
  }
  if (parameter.type === "flag") return h("input", { type: "checkbox", checked: parameter.value === "true" });
  return h("input", { type: "text", inputmode: "decimal", value: parameter.value, autocomplete: "off" });
}

/** Returns the text that is in it; a tick is "true" or "false". */
export const textOf = (editor: Editor) => (editor instanceof HTMLInputElement && editor.type === "checkbox" ? String(editor.checked) : editor.value.trim());
