// SPDX-License-Identifier: Apache-2.0
// The dialog of a fork: a new run that begins at a checkpoint of this one, which stays as it is, with its settings or others.
import * as api from "../base/api";
import { CheckedForm, showForm } from "../base/checked_form";
import { button, h, setText } from "../base/dom";
import { Field, line, textOf } from "../base/field";
import { count } from "../base/format";
import { complainBelow, RecipeFields } from "../base/recipe_fields";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import type { Checkpoint, Complaints, Fork, Recipe, RunSummary } from "../base/types";

class ForkForm {
  readonly form: CheckedForm;
  private readonly name: Field;
  private readonly replicas: Field;
  private readonly settings = new RecipeFields();
  private readonly answer = h("p.complaint", { role: "alert" });
  private readonly own: Record<string, string>; // as the form shows them

  constructor(run: RunSummary, private readonly checkpoint: Checkpoint, recipe: Recipe, own: Record<string, string>, close: () => void) {
    this.name = new Field("name", say("Name"), line(say("{} fork", run.name)));
    this.replicas = new Field("replicas", say("Replicas"), h("input", { type: "number", min: 1, step: 1, value: Math.max(1, run.replicas) }));
    this.settings.show(recipe, (names) => say("Free text stays as it is: {}. In a terminal: batchscope fork {} -- …", names.join(", "), run.id));
    this.settings.values = own;
    this.own = this.settings.values;
    this.form = new CheckedForm({
      check: async () => (await api.checkFork(run.id, this.fork)).fields,
      send: async () => {
        const fork = await api.fork(run.id, this.fork);
        close();
        go(pathOf("run", fork));
      },
      complain: (complaints) => this.complain(complaints),
      wrong: (complaints) => this.fields.find((field) => field.name in complaints)?.editor,
    }, this.answer, this.name,
      h("p.hint", {}, say("A new run starts at once from {}, which was written after step {}. {} stays as it is.", checkpoint.name, count(checkpoint.step), run.name)),
      h("div.form-fields", {}, this.name.element, this.replicas.element),
      h("h3", {}, say("Settings of the program")), this.settings.element, this.settings.note,
      h("footer", {}, this.answer, button(say("Cancel"), close), h("button.primary", { type: "submit" }, say("Start the fork"))));
  }

  private get fields(): Field[] {
    return [this.name, this.replicas, ...this.settings.fields];
  }

  // The settings that a person has changed: those of the run need not be within the recipe's bounds.
  private get fork(): Fork {
    const values = Object.entries(this.settings.values).filter(([name, value]) => value !== this.own[name]);
    return {
      checkpoint: this.checkpoint.name,
      name: textOf(this.name.editor),
      replicas: (this.replicas.editor as HTMLInputElement).valueAsNumber, // NaN, which is null in JSON, is refused by the server
      values: Object.fromEntries(values),
    };
  }

  private complain(complaints: Complaints): void {
    complainBelow(this.fields, complaints);
    setText(this.answer, "");
  }
}

/** Not every run may be forked from a page: the server says why not. */
export const askForFork = (run: RunSummary, checkpoint: Checkpoint): Promise<void> =>
  showForm("fork", say("Fork {}", run.name), async (close) => {
    const [{ recipe: name, values }, { recipes }] = await Promise.all([api.checkFork(run.id), api.recipes()]);
    const recipe = recipes.find((each) => each.name === name);
    return recipe ? new ForkForm(run, checkpoint, recipe, values, close).form : say("The recipe {} is no longer installed.", name);
  });
