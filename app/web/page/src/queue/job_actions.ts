// SPDX-License-Identifier: Apache-2.0
// The verbs of the queue: a person ticks runs, and moves, holds or cancels them by buttons or keys. Requests stand in a line:
// each waits until the one before is done and seen, so that three quick presses move a run by three rows.
import * as api from "../base/api";
import { button, h, setAttributes, setText } from "../base/dom";
import { addKeys } from "../base/keys";
import { ask } from "../base/question";
import { say } from "../base/say";
import { Signal } from "../base/signal";
import type { PriorityChange, QueueRequest } from "../base/types";
import type { Place } from "./drag";
import { canMove, isHeld, type Job, mostPriority } from "./jobs";

const mostMoves = 50; // that can be taken back

export class JobActions {
  readonly chosen = new Set<string>(); // runs
  readonly chosenChanged = new Signal();
  readonly buttons: HTMLElement[];
  readonly answer = h("p.hint", { role: "status" });
  private readonly up = button(say("Up"), () => this.move(-1), { title: say("Move it before the run above (K)") });
  private readonly down = button(say("Down"), () => this.move(1), { title: say("Move it behind the run below (J)") });
  private readonly undo = button(say("Undo"), () => this.takeBack(), { title: say("Undo the last move or priority (u)") });
  private readonly hold = button(say("Hold"), () => this.holdOrRelease(), { class: "hold", title: say("Give it no devices until it is released (h)") });
  private readonly cancel = button(say("Cancel …"), () => this.confirmCancel(),
    { class: "danger", title: say("Take it out of the queue; one that trains writes a checkpoint (Delete)") });
  private readonly priority = h("input", { type: "number", min: -mostPriority, max: mostPriority, step: 1, "aria-label": say("Priority") });
  private jobs: readonly Job[] = []; // as they are shown, from the top
  private moves: PriorityChange[][] = [];
  private line: Promise<void> = Promise.resolve();

  /** `reload` shows the queue as it is now. */
  constructor(private readonly reload: () => Promise<void>) {
    this.priority.addEventListener("change", () => this.setPriority());
    this.buttons = [this.up, this.down, this.undo, this.hold, h("label.field", {}, say("Priority"), this.priority), this.cancel];
    this.update();
  }

  /** Takes keys until what it returns is called. */
  listen(): () => void {
    return addKeys(say("Queue"), [
      { key: "j", text: say("Next run"), act: () => this.step(1) },
      { key: "k", text: say("Previous run"), act: () => this.step(-1) },
      { key: "K", text: say("Move it up"), act: () => this.move(-1) },
      { key: "J", text: say("Move it down"), act: () => this.move(1) },
      { key: "h", text: say("Hold or release"), act: () => this.holdOrRelease() },
      { key: "Delete", text: say("Cancel"), act: () => this.confirmCancel() },
      { key: "u", text: say("Undo the last move or priority"), act: () => this.takeBack() },
    ]);
  }

  /** The rows from the top; a run that is no longer among them is not chosen either. */
  show(jobs: readonly Job[]): void {
    this.jobs = jobs;
    for (const run of [...this.chosen]) if (!jobs.some((job) => job.run === run)) this.chosen.delete(run);
    this.update();
  }

  choose(run: string, isChosen: boolean): void {
    if (isChosen) this.chosen.add(run);
    else this.chosen.delete(run);
    this.update();
    this.chosenChanged.emit();
  }

  chooseOnly(run: string): void {
    this.chosen.clear();
    this.choose(run, true);
  }

  private get chosenJobs(): Job[] {
    return this.jobs.filter((job) => this.chosen.has(job.run));
  }

  private step(by: number): void {
    const at = this.jobs.findIndex((job) => this.chosen.has(job.run));
    const next = this.jobs[at < 0 ? (by > 0 ? 0 : this.jobs.length - 1) : at + by];
    if (next) this.chooseOnly(next.run);
  }

  private update(): void {
    const chosen = this.chosenJobs;
    this.up.disabled = this.neighbour(-1) === undefined;
    this.down.disabled = this.neighbour(1) === undefined;
    this.undo.disabled = this.moves.length === 0;
    for (const control of [this.hold, this.cancel, this.priority]) control.disabled = chosen.length === 0;
    setText(this.hold, chosen.length > 0 && chosen.every(isHeld) ? say("Release") : say("Hold"));
    if (document.activeElement === this.priority) return; // a person writes there
    const priorities = new Set(chosen.map((job) => job.priority));
    this.priority.value = priorities.size === 1 ? String([...priorities][0]) : "";
  }

  // The run above the one that is chosen, or below it; none where several are, or it has no place.
  private neighbour(by: number): Job | undefined {
    const [only, another] = this.chosenJobs;
    if (only === undefined || another !== undefined || !canMove(only)) return undefined;
    const rows = this.jobs.filter(canMove);
    return rows[rows.indexOf(only) + by];
  }

  private move(by: number): void {
    this.inLine(async () => {
      const [job, other] = [this.chosenJobs[0], this.neighbour(by)];
      if (job && other) await this.change([job], by < 0 ? { command: "move", before: other.run } : { command: "move", after: other.run });
    });
  }

  /** Moves a run before another, or behind it. */
  place(run: string, place: Place): void {
    this.chooseOnly(run);
    this.inLine(() => this.change(this.chosenJobs, { command: "move", ...place }));
  }

  private setPriority(): void {
    const { priority } = this;
    const value = priority.valueAsNumber;
    setAttributes(priority, { "aria-invalid": !priority.checkValidity() || Number.isNaN(value) });
    if (priority.hasAttribute("aria-invalid")) return this.say(say("A priority is a whole number from −{} to {}.", mostPriority, mostPriority));
    const jobs = this.chosenJobs;
    this.inLine(() => this.change(jobs, { command: "priority", priority: value }));
  }

  private takeBack(): void {
    this.inLine(async () => {
      const changes = this.moves.pop() ?? [];
      await this.askEach(changes.map(({ run, before }) => [run, { command: "priority", priority: before }]));
    });
  }

  private holdOrRelease(): void {
    const jobs = this.chosenJobs;
    const command = jobs.every(isHeld) ? "release" : "hold";
    this.inLine(async () => void (await this.askEach(jobs.map((job) => [job.run, { command }]))));
  }

  private confirmCancel(): void {
    const jobs = this.chosenJobs;
    if (jobs.length === 0) return;
    const what = jobs.length === 1 ? jobs[0]!.name : say("{} runs", jobs.length);
    ask({
      title: say("Cancel {}?", what),
      consequence: say("A run that waits is taken out of the queue. A run that trains writes a checkpoint and ends; it can be resumed from the checkpoint later."),
      no: say("Keep"),
      yes: say("Cancel {}", what),
      act: () => this.inLine(async () => void (await this.askEach(jobs.map((job) => [job.run, { command: "cancel" }])))),
    });
  }

  private async change(jobs: readonly Job[], request: QueueRequest): Promise<void> {
    const changes = await this.askEach(jobs.map((job) => [job.run, request]));
    if (changes.length > 0) this.moves = [...this.moves, changes].slice(-mostMoves);
  }

  // A refusal does not stop the requests for the others.
  private async askEach(requests: [run: string, request: QueueRequest][]): Promise<PriorityChange[]> {
    const changes: PriorityChange[] = [];
    const refusals: string[] = [];
    for (const [run, request] of requests) {
      try {
        changes.push(...(await api.askJob(run, request)).changed);
      } catch (error) {
        refusals.push((error as Error).message);
      }
    }
    this.say(refusals.join("; "));
    return changes;
  }

  private inLine(act: () => Promise<void>): void {
    this.line = this.line.then(act).then(this.reload).then(() => this.update());
  }

  private say(refusal: string): void {
    setText(this.answer, refusal);
    setAttributes(this.answer, { "data-tone": refusal === "" ? null : "bad" });
  }
}
