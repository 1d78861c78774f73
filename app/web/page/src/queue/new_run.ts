// SPDX-License-Identifier: Apache-2.0
// The dialog of a new run: a recipe that this machine has, its fields, and how the queue is to treat the run. The server
// checks all of it while a person writes, by the functions of the command line; what is wrong is told below its field.
import * as api from "../base/api";
import { CheckedForm, firstRecipe, showForm } from "../base/checked_form";
import { button, type Child, h, setText } from "../base/dom";
import { choice, Field, line, textOf } from "../base/field";
import { complainBelow, RecipeFields } from "../base/recipe_fields";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import { type Clone, type Complaints, isActive, type LessonPage, type NewRun, type Recipe, type Recipes, type RunSummary } from "../base/types";
import { mostPriority } from "./jobs";

class NewRunForm {
  readonly form: CheckedForm;
  private readonly what: Field;
  private readonly name = new Field("name", say("Name"), line());
  private readonly replicas: Field;
  private readonly start = new Field("start", say("Start"), choice(["queue", say("When the queue has devices for it")], ["now", say("Now, beside the queue")]));
  private readonly priority = new Field("priority", say("Priority"),
    h("input", { type: "number", min: -mostPriority, max: mostPriority, step: 1, value: 0 }), say("From −{} to {}; larger goes first", mostPriority, mostPriority));
  private readonly held = new Field("held", say("Hold it until it is released"), h("input", { type: "checkbox" }));
  private readonly device = new Field("device", say("Device"), choice(["auto", say("GPUs where there are some")], ["cpu", say("Cores")], ["cuda", say("GPUs")]));
  private readonly after: Field;
  private readonly afterEnd = new Field("after-end", say("Once that run"), choice(["", say("has finished")], [":end", say("has ended in any way")], [":fail", say("has failed")]));
  private readonly pin = new Field("pin", say("Keep its devices until it ends"), h("input", { type: "checkbox" }), say("The pool takes none of them away for others"));
  private readonly group = new Field("group", say("Group"), line(), say("For runs that belong together; may be empty"));
  private readonly tags = new Field("tags", say("Tags"), line(), say("Words to find the run by, with commas between them"));
  private readonly note = new Field("note", say("Note"), line());
  private readonly description = h("p.hint");
  private readonly settings = new RecipeFields();
  private readonly answer = h("p.complaint", { role: "alert" });
  private readonly submit = h("button.primary", { type: "submit" }, say("Add to the queue"));

  constructor(private readonly offer: Recipes, others: readonly RunSummary[], like: Clone | undefined, close: () => void, submitted: (run: string) => void) {
    const titles = offer.recipes.map((each) => h("option", { value: each.name }, each.title));
    this.what = new Field("recipe", say("What to run"), h("select", {}, ...titles));
    this.replicas = new Field("replicas", say("Replicas"), line(offer.replicas), say("A number; or a range such as 1-4, or auto: the best goodput decides"));
    this.after = new Field("after", say("Begin after"), choice(["", say("No other run")], ...others.map((run): [string, string] => [run.id, `${run.name || run.id} (${run.id})`])));
    this.afterEnd.element.hidden = true;
    this.after.editor.addEventListener("change", () => this.showStart());
    const columns = (...children: Child[]) => h("div.form-fields", {}, ...children);
    this.form = new CheckedForm({
      check: () => (this.isNow ? api.checkNow(this.run) : api.check(this.run)),
      send: async () => {
        const { run } = await (this.isNow ? api.startNow(this.run) : api.submit(this.run));
        close();
        if (this.isNow) go(pathOf("run", run));
        else submitted(run);
      },
      complain: (complaints) => this.complain(complaints),
      wrong: (complaints) => this.all.find((field) => field.name in complaints)?.editor,
    }, this.answer, this.what,
      this.what.element, this.description,
      columns(this.name.element, this.replicas.element, this.device.element, this.start.element, this.priority.element, this.after.element, this.afterEnd.element, this.held.element, this.pin.element),
      h("h3", {}, say("Settings of the program")), this.settings.element, this.settings.note,
      h("h3", {}, say("Find the run by")), columns(this.group.element, this.tags.element, this.note.element),
      h("footer", {}, this.answer, button(say("Cancel"), close), this.submit));
    this.start.editor.addEventListener("change", () => this.showStart());
    this.what.editor.addEventListener("change", () => this.showRecipe());
    this.what.editor.value = like?.recipe ?? firstRecipe(offer.recipes);
    this.showRecipe();
    if (like) this.take(like);
  }

  private get recipe(): Recipe {
    return this.offer.recipes.find((each) => each.name === this.what.editor.value)!;
  }

  private get all(): Field[] {
    return [this.what, this.name, this.replicas, this.priority, this.device, this.after, this.held, this.pin, ...this.settings.fields, this.group, this.tags, this.note];
  }

  private get isNow(): boolean {
    return this.start.editor.value === "now";
  }

  // A run that starts now has no place in the queue.
  private showStart(): void {
    for (const field of [this.priority, this.after, this.held, this.pin]) field.element.hidden = this.isNow;
    this.afterEnd.element.hidden = this.isNow || this.after.editor.value === "";
    setText(this.submit, this.isNow ? say("Start now") : say("Add to the queue"));
  }

  private showRecipe(): void {
    const { recipe } = this;
    setText(this.description, recipe.description);
    // The recipe's name until a person writes another.
    const name = this.name.editor;
    if (this.offer.recipes.some((each) => each.name === name.value) || name.value === "") name.value = recipe.name;
    this.settings.show(recipe, (names) => say("Free text can only be set in a terminal: {}", `batchscope submit --recipe ${recipe.name} ${names.map((each) => `--set ${each}=…`).join(" ")}`));
    this.complain({});
  }

  private take(like: Clone): void {
    this.name.editor.value = like.name;
    this.replicas.editor.value = like.replicas;
    const device = this.device.editor as HTMLSelectElement;
    if (![...device.options].some((each) => each.value === like.device)) device.append(h("option", { value: like.device }, like.device));
    device.value = like.device;
    this.group.editor.value = like.group;
    this.tags.editor.value = like.tags;
    this.settings.values = like.values;
  }

  private get run(): NewRun {
    return {
      recipe: this.recipe.name,
      values: this.settings.values,
      name: textOf(this.name.editor),
      replicas: textOf(this.replicas.editor),
      device: this.device.editor.value,
      group: textOf(this.group.editor),
      tags: textOf(this.tags.editor),
      note: textOf(this.note.editor),
      ...(!this.isNow && this.place),
    };
  }

  // How the queue treats it.
  private get place(): Partial<NewRun> {
    return {
      priority: (this.priority.editor as HTMLInputElement).valueAsNumber, // NaN, which is null in JSON, is refused by the server
      held: (this.held.editor as HTMLInputElement).checked,
      pin: (this.pin.editor as HTMLInputElement).checked,
      after: this.after.editor.value === "" ? "" : this.after.editor.value + this.afterEnd.editor.value,
    };
  }

  private complain(complaints: Complaints): void {
    complainBelow(this.all, complaints);
    setText(this.answer, "");
  }
}

const runsToCome = async () => (await api.runs("", "-created")).runs.filter(({ state }) => state === "pending" || state === "paused" || isActive(state));

/** Asks for a new run, or for a clone of one, and tells of the one that was put into the queue. */
export const askForRun = (submitted: (run: string) => void, cloned?: RunSummary): Promise<void> =>
  showForm("new-run", cloned ? say("Clone {}", cloned.name) : say("New run"), async (close) => {
    const [offer, others, like] = await Promise.all([api.recipes(), runsToCome(), cloned && api.clone(cloned.id)]);
    if (offer.recipes.length === 0) return say("No recipe is installed on this machine. In a terminal: batchscope submit PROGRAM");
    return new NewRunForm(offer, others, like, close, submitted).form;
  });

/** Asks for the new run that a lesson offers, with the lesson's values in the place of the recipe's. */
export const askForLaunch = (submitted: (run: string) => void, launch: NonNullable<LessonPage["launch"]>): Promise<void> =>
  showForm("new-run", say("Run it live"), async (close) => {
    const [offer, others] = await Promise.all([api.recipes(), runsToCome()]);
    const recipe = offer.recipes.find((each) => each.name === launch.recipe);
    if (!recipe) return say("The recipe {} is not installed on this machine. Its folder of examples has it: batchscope run --recipe PATH", launch.recipe);
    const values = Object.fromEntries(recipe.parameters.map(({ name, value }) => [name, launch.values[name] ?? value]));
    const like = { recipe: recipe.name, values, name: recipe.name, replicas: launch.replicas || offer.replicas, device: "auto", group: "", tags: "" };
    return new NewRunForm(offer, others, like, close, submitted).form;
  });
