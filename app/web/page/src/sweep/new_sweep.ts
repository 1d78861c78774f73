// SPDX-License-Identifier: Apache-2.0
// The dialog of a new sweep: a recipe that this machine has, which of its settings are searched and how, and what is to
// become best. The server checks all of it while a person writes, by the functions of the command line.
import * as api from "../base/api";
import { CheckedForm, firstRecipe, showForm } from "../base/checked_form";
import { button, type Child, fill, h, setText } from "../base/dom";
import { choice, Field, line, textOf } from "../base/field";
import { capital } from "../base/format";
import { say } from "../base/say";
import type { Complaints, NewSweep, Recipe, Recipes } from "../base/types";
import { Setting } from "./setting";

const usualTrials = 16;

const methods: [string, string][] = [["tpe", say("Parzen estimator (tpe)")], ["random", say("Random")], ["sobol", say("Sobol sequence")], ["grid", say("Grid, all combinations")]];

const stops: [string, string][] = [["none", say("Never: all to their end")], ["median", say("Those worse than the median")], ["asha", say("All but the best at each rung (asha)")], ["pbt", say("The worst go on from the best (pbt)")]];

class NewSweepForm {
  readonly form: CheckedForm;
  private readonly what: Field;
  private readonly name = new Field("name", say("Name"), line());
  private readonly metric = new Field("metric", say("Metric"), line("accuracy"), say("A series that the runs record"));
  private readonly goal = new Field("goal", say("Best is"), choice(["max", say("the largest")], ["min", say("the smallest")]));
  private readonly method = new Field("method", say("Method"), choice(...methods));
  private readonly trials = new Field("trials", say("Trials"), h("input", { type: "number", min: 1, step: 1, value: usualTrials }), say("Only a grid may do without"));
  private readonly replicas = new Field("replicas", say("Replicas"), line(), say("Of each run; empty: as many as the pool gives"));
  private readonly seeds = new Field("seeds", say("Runs of each point"), h("input", { type: "number", min: 1, max: 100, step: 1, value: 1 }), say("With other seeds; their mean counts"));
  private readonly stop = new Field("stop.kind", say("Stop trials early"), choice(...stops));
  private readonly min = new Field("stop.min", say("First rung"), line("200"), say("In scale-invariant iterations"));
  private readonly max = new Field("stop.max", say("Last rung"), line(), say("Empty: a trial's own end"));
  private readonly eta = new Field("stop.eta", say("From rung to rung"), line("3"), say("So many times as far; asha keeps as small a share"));
  private readonly description = h("p.hint");
  private readonly rungs = h("div.form-fields", {}, this.min.element, this.max.element, this.eta.element);
  private readonly fields = h("div.form-fields");
  private readonly fixed = h("p.hint");
  private readonly answer = h("p.complaint", { role: "alert" });
  private settings: Setting[] = [];

  constructor(private readonly offer: Recipes, close: () => void, begun: (sweep: string) => void) {
    this.what = new Field("recipe", say("What to train"), choice(...offer.recipes.map((each): [string, string] => [each.name, each.title])));
    const columns = (...children: Child[]) => h("div.form-fields", {}, ...children);
    this.form = new CheckedForm({
      check: () => api.checkSweep(this.sweep),
      send: async () => begun(await api.beginSweep(this.sweep)),
      complain: (complaints) => this.complain(complaints),
      wrong: (complaints) => this.all.find((field) => field.name in complaints)?.editor
        ?? this.settings.find(({ name }) => `search.${name}` in complaints || `values.${name}` in complaints),
    }, this.answer, this.what,
      this.what.element, this.description,
      columns(this.name.element, this.trials.element, this.metric.element, this.goal.element, this.method.element, this.replicas.element, this.seeds.element, this.stop.element),
      this.rungs,
      h("h3", {}, say("Settings of the program")), this.fields, this.fixed,
      h("footer", {}, this.answer, button(say("Cancel"), close), h("button.primary", { type: "submit" }, say("Begin"))));
    this.what.editor.addEventListener("change", () => this.showRecipe());
    this.stop.editor.addEventListener("change", () => this.showRungs());
    this.showRungs();
    this.what.editor.value = firstRecipe(offer.recipes);
    this.showRecipe();
  }

  private get recipe(): Recipe {
    return this.offer.recipes.find((each) => each.name === this.what.editor.value)!;
  }

  private get all(): Field[] {
    return [this.what, this.name, this.trials, this.metric, this.goal, this.method, this.replicas, this.seeds, this.stop, this.min, this.max, this.eta];
  }

  private showRungs(): void {
    const kind = this.stop.editor.value;
    this.rungs.hidden = kind === "none";
    this.eta.element.hidden = kind === "pbt"; // whose rungs are as far apart as the first
  }

  private get rule(): NonNullable<NewSweep["stop"]> {
    const [kind, max] = [this.stop.editor.value, textOf(this.max.editor)];
    if (kind === "none") return { kind };
    return { kind, min: textOf(this.min.editor), ...(max !== "" && { max }), ...(kind !== "pbt" && { eta: textOf(this.eta.editor) }) };
  }

  private showRecipe(): void {
    const { recipe } = this;
    setText(this.description, recipe.description);
    // After the recipe until a person writes another.
    const name = this.name.editor;
    if (name.value === "" || this.offer.recipes.some((each) => name.value === `${each.name}-search`)) name.value = `${recipe.name}-search`;
    this.settings = recipe.parameters.map((each) => new Setting(each));
    fill(this.fields, ...this.settings.map((each) => each.element));
    setText(this.fixed, recipe.fixed.length === 0 ? "" : say("Free text can only be set in a sweep's file: {}", recipe.fixed.join(", ")));
    this.complain({});
  }

  private get sweep(): NewSweep {
    const numberOf = ({ editor }: Field) => (editor as HTMLInputElement).valueAsNumber;
    const [trials, seeds] = [numberOf(this.trials), numberOf(this.seeds)];
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
      seeds, // NaN, which is null in JSON, is refused by the server
      stop: this.rule,
      values: given((setting) => setting.value),
      search: given((setting) => setting.search),
    };
  }

  private complain(complaints: Complaints): void {
    for (const field of this.all) field.complain(complaints[field.name] ?? "");
    for (const setting of this.settings) setting.complain(complaints[`search.${setting.name}`] ?? complaints[`values.${setting.name}`] ?? "");
    setText(this.answer, capital(complaints["sweep"] ?? ""));
  }
}

/** Asks for a new sweep, and tells of the one that has begun. */
export const askForSweep = (begun: (sweep: string) => void): Promise<void> =>
  showForm("new-sweep", say("Begin a sweep"), async (close) => {
    const offer = await api.recipes();
    if (offer.recipes.length === 0) return say("No recipe is installed on this machine. In a terminal: batchscope sweep run FILE");
    return new NewSweepForm(offer, close, (sweep) => {
      close();
      begun(sweep);
    }).form;
  });
