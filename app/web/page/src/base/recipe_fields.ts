// SPDX-License-Identifier: Apache-2.0
// The settings of a recipe in a form: a field for each parameter that a page may set. Free text stays out.
import { fill, h, setText } from "./dom";
import { editorOf, Field, textOf } from "./field";
import type { Complaints, Recipe } from "./types";

const prefix = "values.";

export class RecipeFields {
  readonly element = h("div.form-fields");
  readonly note = h("p.hint"); // about what is not among them
  fields: Field[] = [];

  /** `elsewhere` says of the parameters that are free text where they are set. */
  show(recipe: Recipe, elsewhere: (names: string[]) => string): void {
    this.fields = recipe.parameters.map((each) => new Field(prefix + each.name, each.name, editorOf(each), each.help));
    fill(this.element, ...this.fields.map((each) => each.element));
    setText(this.note, recipe.fixed.length === 0 ? "" : elsewhere(recipe.fixed));
  }

  get values(): Record<string, string> {
    return Object.fromEntries(this.fields.map(({ name, editor }) => [name.slice(prefix.length), textOf(editor)]));
  }

  set values(values: Record<string, string>) {
    for (const { name, editor } of this.fields) {
      const value = values[name.slice(prefix.length)] ?? "";
      if (editor instanceof HTMLInputElement && editor.type === "checkbox") editor.checked = value === "true";
      else editor.value = value;
    }
  }
}

/** Shows below each field what is wrong with it. */
export function complainBelow(fields: readonly Field[], complaints: Complaints): void {
  for (const field of fields) field.complain(complaints[field.name] ?? "");
}
