// SPDX-License-Identifier: Apache-2.0
// The dialog of a new sweep: a recipe that this machine has, which of its settings are searched and how, and what is to
// become best. The server checks all of it while a person writes, by the functions of the command line.
import * as api from "../base/api";
import { button, type Child, fill, h, setText } from "../base/dom";
import { Field, line, textOf } from "../base/field";
import { showDialog } from "../base/keys";
import type { Complaints, NewSweep, Recipe, Recipes } from "../base/types";
import { Setting } from "./setting";

const patience = 250; // ms, in which a person goes on writing
const usualTrials = 16;

const methods: [string, string][] = [["tpe", "Parzen estimator (tpe)"], ["random", "Random"], ["sobol", "Sobol sequence"], ["grid", "Grid, all combinations"]];

const choice = (...options: [string, string][]) => h("select", {}, ...options.map(([value, text]) => h("option", { value }, text)));

class NewSweepForm {
  readonly element: HTMLFormElement;
  private readonly what: Field;
  private readonly name = new Field("name", "Name", line());
  private readonly metric = new Field("metric", "Metric", line("accuracy"), "A series that the runs record");
  private readonly goal = new Field("goal", "Best is", choice(["max", "the largest"], ["min", "the smallest"]));
  private readonly method = new Field("method", "Method", choice(...methods));
  private readonly trials = new Field("trials", "Trials", h("input", { type: "number", min: 1, step: 1, value: usualTrials }), "Only a grid may do without");
  private readonly replicas = new Field("replicas", "Replicas", line(), "Of each run; empty: as many as the pool gives");
  private readonly description = h("p.hint");
  private readonly fields = h("div.form-fields");
  private readonly fixed = h("p.hint");
  private readonly answer = h("p.complaint", { role: "alert" });
  private settings: Setting[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private newest = 0; // of the questions that were asked

  constructor(private readonly offer: Recipes, close: () => void, private readonly begun: (sweep: string) => void) {
    this.what = new Field("recipe", "What to train", choice(...offer.recipes.map((each): [string, string] => [each.name, each.title])));
    const columns = (...children: Child[]) => h("div.form-fields", {}, ...children);
    this.element = h("form.form-body", { novalidate: true },
      this.what.element, this.description,
      columns(this.name.element, this.trials.element, this.metric.element, this.goal.element, this.method.element, this.replicas.element),
      h("h3", {}, "Settings of the program"), this.fields, this.fixed,
      h("footer", {}, this.answer, button("Cancel", close), h("button.primary", { type: "submit" }, "Begin")));
    this.what.editor.addEventListener("change", () => this.showRecipe());
    this.element.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.check(), patience);
    });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
    this.what.editor.value = offer.recipes.find((each) => each.name === "digits")?.name ?? offer.recipes[0]!.name;
    this.showRecipe();
  }

  end(): void {
    clearTimeout(this.timer);
    ++this.newest;
  }

  focus(): void {
    this.what.editor.focus();
  }

  private get recipe(): Recipe {
    return this.offer.recipes.find((each) => each.name === this.what.editor.value)!;
  }

  private get all(): Field[] {
    return [this.what, this.name, this.trials, this.metric, this.goal, this.method, this.replicas];
  }

  private showRecipe(): void {
    const { recipe } = this;
    setText(this.description, recipe.description);
    this.settings = recipe.parameters.map((each) => new Setting(each));
    fill(this.fields, ...this.settings.map((each) => each.element));
    setText(this.fixed, recipe.fixed.length === 0 ? "" : `Free text can only be set in a sweep's file: ${recipe.fixed.join(", ")}`);
    this.complain({});
  }

  private get sweep(): NewSweep {
    const trials = (this.trials.editor as HTMLInputElement).valueAsNumber;
    const given = <T>(read: (setting: Setting) => T | null): Record<string, T> =>
      Object.fromEntries(this.settings.map((each): [string, T | null] => [each.name, read(each)]).filter((pair): pair is [string, T] => pair[1] !== null));
    return {
      recipe: this.recipe.name,
      name: textOf(this.name.editor),
      metric: textOf(this.metric.editor),
      goal: this.goal.editor.value,
      method: this.method.editor.value,
      ...(Number.isNaN(trials) ? {} : { trials }),
      replicas: textOf(this.replicas.editor),
      values: given((setting) => setting.value),
      search: given((setting) => setting.search),
    };
  }

  private complain(complaints: Complaints): void {
    for (const field of this.all) field.complain(complaints[field.name] ?? "");
    for (const setting of this.settings) setting.complain(complaints[`search.${setting.name}`] ?? complaints[`values.${setting.name}`] ?? "");
    setText(this.answer, complaints["sweep"] ?? "");
  }

  private async check(): Promise<void> {
    const asked = ++this.newest;
    try {
      const complaints = await api.checkSweep(this.sweep);
      if (asked === this.newest) this.complain(complaints);
    } catch (error) {
      if (asked === this.newest) setText(this.answer, (error as Error).message);
    }
  }

  private async submit(): Promise<void> {
    this.end();
    try {
      this.begun(await api.beginSweep(this.sweep));
    } catch (error) {
      const complaints = error instanceof api.ApiError ? error.fields : {};
      this.complain(complaints);
      const wrong = this.all.find((field) => field.name in complaints)?.editor
        ?? this.settings.find(({ name }) => `search.${name}` in complaints || `values.${name}` in complaints);
      if (wrong) wrong.focus();
      else setText(this.answer, (error as Error).message);
    }
  }
}

/** Asks for a new sweep, and tells of the one that has begun. */
export async function askForSweep(begun: (sweep: string) => void): Promise<void> {
  const body = h("div", { role: "status" }, h("p", {}, "Reading the recipes …"));
  const dialog = h("dialog.form", { "aria-labelledby": "new-sweep-title" }, h("h2", { id: "new-sweep-title" }, "Begin a sweep"), body);
  showDialog(dialog);
  const fail = (text: string) => fill(body, h("p.complaint", { role: "alert" }, text), h("footer", {}, button("Close", () => dialog.close())));
  try {
    const offer = await api.recipes();
    if (offer.recipes.length === 0) return fail("No recipe is installed on this machine. In a terminal: batchscope sweep run FILE");
    const form = new NewSweepForm(offer, () => dialog.close(), (sweep) => {
      dialog.close();
      begun(sweep);
    });
    dialog.addEventListener("close", () => form.end());
    body.replaceWith(form.element);
    form.focus();
  } catch (error) {
    fail((error as Error).message);
  }
}
