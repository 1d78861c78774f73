// SPDX-License-Identifier: Apache-2.0
// A setting of a recipe in the dialog of a new sweep: it has one value for all trials, or a range or a list to be searched.
import { h, setAttributes, setText } from "../base/dom";
import { type Editor, editorOf, line, textOf } from "../base/field";
import { capital } from "../base/format";
import { say } from "../base/say";
import type { RecipeParameter, SearchRange } from "../base/types";

type Mode = "fixed" | "linear" | "log" | "values";

const modes: [Mode, string][] = [["fixed", say("one value")], ["linear", say("search a range")], ["log", say("search a range, logarithmic")], ["values", say("search a list")]];

const valuesOf = ({ type, choices, value }: RecipeParameter) => (type === "choice" ? choices : type === "flag" ? ["false", "true"] : [value]);

export class Setting {
  readonly element: HTMLElement;
  private readonly mode: HTMLSelectElement;
  private readonly fixed: Editor;
  private readonly low = line();
  private readonly high = line();
  private readonly list: HTMLInputElement;
  private readonly range = h("span.setting-range", {}, this.low, say("to"), this.high);
  private readonly complaint = h("p.complaint");

  constructor(private readonly parameter: RecipeParameter) {
    const { name, type, help } = parameter;
    const isNumber = type === "integer" || type === "number";
    this.fixed = editorOf(parameter);
    this.list = line(valuesOf(parameter).join(", "));
    this.mode = h("select", { "aria-label": say("How {} is chosen", name) },
      ...modes.filter(([mode]) => isNumber || mode === "fixed" || mode === "values").map(([mode, text]) => h("option", { value: mode }, text)));
    const id = `setting-${name}`;
    this.complaint.id = `${id}-complaint`;
    setAttributes(this.fixed, { "aria-label": name });
    setAttributes(this.low, { "aria-label": say("Lowest {}", name), inputmode: "decimal" });
    setAttributes(this.high, { "aria-label": say("Highest {}", name), inputmode: "decimal" });
    setAttributes(this.list, { "aria-label": say("Values of {}, with commas between them", name) });
    for (const editor of this.editors) setAttributes(editor, { "aria-describedby": this.complaint.id });
    this.element = h("div.form-field", {}, h("span.setting-name", {}, name), this.mode, this.fixed, this.range, this.list,
      h("p.hint", {}, help), this.complaint);
    this.mode.addEventListener("change", () => this.showMode());
    this.showMode();
  }

  get name(): string {
    return this.parameter.name;
  }

  /** The value that all trials have; null where it is searched. */
  get value(): string | null {
    return this.mode.value === "fixed" ? textOf(this.fixed) : null;
  }

  /** The values that are searched; null where it has one. */
  get search(): SearchRange | null {
    const mode = this.mode.value as Mode;
    if (mode === "fixed") return null;
    if (mode === "values") return { values: textOf(this.list).split(",").map((each) => each.trim()).filter((each) => each !== "") };
    return { min: textOf(this.low), max: textOf(this.high), scale: mode };
  }

  complain(text: string): void {
    setText(this.complaint, capital(text));
    for (const editor of this.editors) setAttributes(editor, { "aria-invalid": text === "" ? null : "true" });
  }

  focus(): void {
    this.editors.find((editor) => editor.checkVisibility())?.focus();
  }

  private get editors(): HTMLElement[] {
    return [this.fixed, this.low, this.high, this.list];
  }

  private showMode(): void {
    const mode = this.mode.value as Mode;
    this.fixed.hidden = mode !== "fixed";
    this.range.hidden = mode !== "linear" && mode !== "log";
    this.list.hidden = mode !== "values";
  }
}
