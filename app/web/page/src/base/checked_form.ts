// SPDX-License-Identifier: Apache-2.0
// A form that the server checks while a person writes, by the functions of the command line: what is wrong is told below its
// field. And the dialog in which it is, which first asks for what the form needs.
import { ApiError } from "./api";
import { button, type Child, fill, h, setText } from "./dom";
import type { Field } from "./field";
import { capital } from "./format";
import { showDialog } from "./keys";
import { say } from "./say";
import type { Complaints } from "./types";

const patience = 250; // ms, in which a person goes on writing

export interface Questions {
  check(): Promise<Complaints>;
  /** Throws an ApiError that says what is wrong by its field. */
  send(): Promise<void>;
  complain(complaints: Complaints): void;
  /** Returns the first that is complained about. */
  wrong(complaints: Complaints): { focus(): void } | undefined;
}

export class CheckedForm {
  readonly element: HTMLFormElement;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private newest = 0; // of the questions that were asked
  private isSending = false;

  /** `answer` is for what belongs to no field; `first` gets the focus. */
  constructor(private readonly questions: Questions, private readonly answer: HTMLElement, private readonly first: Field, ...children: Child[]) {
    this.element = h("form.form-body", { novalidate: true }, ...children);
    this.element.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.check(), patience);
    });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
  }

  end(): void {
    clearTimeout(this.timer);
    ++this.newest;
  }

  focus(): void {
    const { editor } = this.first;
    editor.focus();
    if (editor instanceof HTMLInputElement) editor.select();
  }

  private async check(): Promise<void> {
    const asked = ++this.newest;
    try {
      const complaints = await this.questions.check();
      if (asked === this.newest) this.questions.complain(complaints);
    } catch (error) {
      if (asked === this.newest) setText(this.answer, capital((error as Error).message));
    }
  }

  private async submit(): Promise<void> {
    if (this.isSending) return; // a double press sends it once
    this.isSending = true;
    this.end();
    try {
      await this.questions.send();
    } catch (error) {
      const complaints = error instanceof ApiError ? error.fields : {};
      this.questions.complain(complaints);
      const wrong = this.questions.wrong(complaints);
      if (wrong) wrong.focus();
      else setText(this.answer, capital((error as Error).message));
    } finally {
      this.isSending = false;
    }
  }
}

/** Shows the form that `make` returns, or the text that it returns where there can be none. */
export async function showForm(id: string, title: string, make: (close: () => void) => Promise<CheckedForm | string>): Promise<void> {
  const body = h("div", { role: "status" }, h("p", {}, say("Reading the recipes …")));
  const dialog = h("dialog.form", { "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), body);
  showDialog(dialog);
  const fail = (text: string) => fill(body, h("p.complaint", { role: "alert" }, text), h("footer", {}, button(say("Close"), () => dialog.close())));
  try {
    const form = await make(() => dialog.close());
    if (typeof form === "string") return fail(form);
    dialog.addEventListener("close", () => form.end());
    body.replaceWith(form.element);
    form.focus();
  } catch (error) {
    fail((error as Error).message);
  }
}

/** Returns the name of the recipe that a form begins with. */
export const firstRecipe = (recipes: { name: string }[]) => recipes.find((each) => each.name === "digits")?.name ?? recipes[0]!.name;
