// SPDX-License-Identifier: Apache-2.0
// A field of a dialog with its label, a hint, and below them what is wrong with it.
import { h, setAttributes, setText } from "./dom";

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
    setText(this.complaint, text);
    setAttributes(this.editor, { "aria-invalid": text === "" ? null : "true" });
  }
}

/** A line to write in. */
export const line = (value = "") => h("input", { type: "text", value, autocomplete: "off", spellcheck: "false" });
