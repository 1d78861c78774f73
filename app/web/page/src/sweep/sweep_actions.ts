// SPDX-License-Identifier: Apache-2.0
// The verbs of a sweep: it is paused, resumed, stopped after a question, given more trials or device-hours, and removed once
// it is over; that is undone by a button.
import * as api from "../base/api";
import { button, h, setAttributes, setText } from "../base/dom";
import { Field } from "../base/field";
import { capital } from "../base/format";
import { showDialog } from "../base/keys";
import { tell } from "../base/notice";
import { ask } from "../base/question";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import type { SweepRequest } from "../base/types";
import type { Sweep } from "./trials";

const moreTrials = 16; // that are offered

const canExtend = ({ extends: more }: Sweep) => more.trials || more.device_hours;

/** Returns whether Resume is what it wants: it does not run, or nobody sees to it any more. */
const canResume = ({ sweep }: Sweep) => sweep.state !== "running" || !sweep.driven;

export class SweepActions {
  readonly buttons: HTMLElement[];
  readonly answer = h("p.hint", { role: "status" });
  private readonly pause = button(say("Pause"), () => void this.send({ command: this.present && canResume(this.present) ? "resume" : "pause" }), { class: "pause" });
  private readonly stop = button(say("Stop …"), () => this.confirmStop(),
    { class: "danger", title: say("End the sweep: its trials write checkpoints and stop, and their values are kept") });
  private readonly more = button(say("More trials …"), () => this.askForMore());
  private readonly remove = button(say("Remove …"), () => this.confirmRemoval(), { class: "danger" });
  private present: Sweep | undefined;
  private isWaiting = false;

  /** `reload` shows the sweep as it is now. */
  constructor(private readonly reload: () => Promise<void>) {
    this.buttons = [this.pause, this.stop, this.more, this.remove];
    this.update();
  }

  show(sweep: Sweep): void {
    this.present = sweep;
    this.update();
  }

  private update(): void {
    const { present, isWaiting } = this;
    const state = present?.sweep.state ?? "finished";
    const resumes = present !== undefined && canResume(present);
    setText(this.pause, resumes ? say("Resume") : say("Pause"));
    setAttributes(this.pause, { title: resumes ? say("Go on with the sweep's trials") : say("The trials write checkpoints and free their devices until the sweep is resumed") });
    this.pause.disabled = isWaiting || state === "finished";
    const isActive = state === "running" || state === "paused";
    this.stop.disabled = isWaiting || !isActive;
    this.remove.disabled = isWaiting || present === undefined || isActive;
    setAttributes(this.remove, { title: isActive ? say("Stop the sweep first") : say("Forget the sweep; its runs stay, or go into the trash") });
    this.more.disabled = isWaiting || present === undefined || !canExtend(present);
    setAttributes(this.more, {
      title: present === undefined || canExtend(present) ? say("Add trials or device-hours, and go on") : say("Nothing can be added: the sweep tries all points that its file allows"),
    });
  }

  private confirmRemoval(): void {
    const { name } = this.present!.sweep;
    const runs = h("input", { type: "checkbox" });
    const answer = h("p.complaint", { role: "alert" });
    const act = () => void this.removeSweep(name, runs.checked).then(() => dialog.close(), (error: Error) => setText(answer, capital(error.message)));
    const dialog = h("dialog.question", { "aria-labelledby": "remove-title" },
      h("h2", { id: "remove-title" }, say("Remove the sweep {}?", name)),
      h("p", {}, say("Its runs stay as ordinary runs. Undo brings the sweep back, as long as this server runs.")),
      h("label.check", {}, runs, say("Move its runs to the trash, too")), answer,
      h("footer", {}, button(say("Keep"), () => dialog.close(), { autofocus: true }), button(say("Remove {}", name), act, { class: "danger" })));
    showDialog(dialog);
  }

  private async removeSweep(name: string, runs: boolean): Promise<void> {
    await api.askSweep(name, { command: "remove", runs });
    go(pathOf("sweeps"));
    tell(say("Removed the sweep {}.", name), async () => {
      await api.askSweep(name, { command: "restore" });
      go(pathOf("sweep", name));
    });
  }

  private confirmStop(): void {
    const { name } = this.present!.sweep;
    ask({
      title: say("Stop the sweep {}?", name),
      consequence: say("Running trials write checkpoints and stop, and their values are kept. The sweep can be resumed."),
      no: say("Keep"),
      yes: say("Stop {}", name),
      act: () => void this.send({ command: "stop" }),
    });
  }

  private askForMore(): void {
    const { sweep, extends: more } = this.present!;
    const trials = new Field("trials", say("More trials"), h("input", { type: "number", min: 0, step: 1, value: more.trials ? moreTrials : 0 }));
    const hours = new Field("device-hours", say("More device-hours"), h("input", { type: "number", min: 0, step: "any", value: 0 }));
    const fields = [...(more.trials ? [trials] : []), ...(more.device_hours ? [hours] : [])];
    const answer = h("p.complaint", { role: "alert" });
    const form = h("form.form-body", { novalidate: true }, ...fields.map((field) => field.element), answer,
      h("footer", {}, button(say("Cancel"), () => dialog.close()), h("button.primary", { type: "submit" }, say("Add and go on"))));
    const numberIn = (field: Field) => (field.editor as HTMLInputElement).valueAsNumber; // NaN, which is null in JSON, is refused by the server
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      setText(answer, "");
      void this.ask({ command: "extend", trials: numberIn(trials), device_hours: numberIn(hours) })
        .then(() => dialog.close(), (error: Error) => setText(answer, capital(error.message)));
    });
    const dialog = h("dialog.form.is-narrow", { "aria-labelledby": "extend-title" }, h("h2", { id: "extend-title" }, say("Extend {}", sweep.name)), form);
    showDialog(dialog);
    (fields[0]!.editor as HTMLInputElement).select();
  }

  private async send(request: SweepRequest): Promise<void> {
    try {
      await this.ask(request);
      this.say("");
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  private async ask(request: SweepRequest): Promise<void> {
    this.isWaiting = true;
    this.update();
    try {
      await api.askSweep(this.present!.sweep.name, request);
      await this.reload();
    } finally {
      this.isWaiting = false;
      this.update();
    }
  }

  private say(refusal: string): void {
    setText(this.answer, refusal);
    setAttributes(this.answer, { "data-tone": refusal === "" ? null : "bad" });
  }
}
