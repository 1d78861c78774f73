// SPDX-License-Identifier: Apache-2.0
// The records of a run beside its samples, as tabs of tables: events, restarts, checkpoints and hyperparameters.
import { button, fill, h } from "../base/dom";
import { bytes, clock, count, pause } from "../base/format";
import { isRecording } from "../base/recording";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { Table } from "../base/table";
import type { Checkpoint, Generation, RunDetail, RunEvent } from "../base/types";
import { Tabs } from "../records/tabs";

const panels = ["events", "generations", "checkpoints", "hyperparameters"];

/** The tabs, which show what they are given; the run's view gives them what it has. */
export class Records {
  readonly element: HTMLElement;
  readonly #events: Table<RunEvent>;
  readonly #restarts: Table<Generation>;
  readonly #checkpoints: Table<Checkpoint>;
  readonly #parameters: Table<[string, string]>;
  #fork: ((checkpoint: Checkpoint) => void) | undefined; // where the token allows it
  readonly #tabs: Tabs;
  #start = 0; // s since 1970, of the run's clock

  constructor(id: string) {
    this.#events = new Table<RunEvent>({
      label: say("Events"),
      key: (event) => String(event.id),
      none: say("Nothing has happened yet."),
      columns: [
        { title: say("Time"), isNumber: true, cell: (event) => clock(event.time - this.#start) },
        { title: say("Step"), isNumber: true, cell: (event) => count(event.step) },
        { title: say("Event"), isWide: true, cell: (event) => event.text },
      ],
      rowClass: (event) => (event.level === "info" ? "" : event.level),
    });
    this.#restarts = new Table<Generation>({
      label: say("Generations"),
      key: (each) => String(each.number),
      none: say("The run has not begun yet."),
      columns: [
        { title: say("Generation"), isNumber: true, cell: (each) => count(each.number) },
        { title: say("Replicas"), isNumber: true, cell: (each) => count(each.replicas) },
        { title: say("Reason"), cell: (each) => each.reason },
        { title: say("Steps"), isNumber: true, cell: (each) => `${count(each.first_step)} – ${count(each.last_step)}` },
        { title: say("Pause"), isNumber: true, cell: (each) => (each.pause === null ? "–" : pause(each.pause)) },
        { title: say("Parts of the pause"), isWide: true, cell: (each) => each.shown.parts || "–" },
        { title: say("Outcome"), cell: (each) => each.outcome || say("trains") },
      ],
    });
    this.#checkpoints = new Table<Checkpoint>({
      label: say("Checkpoints"),
      key: (each) => each.name,
      none: say("No checkpoint yet."),
      columns: [
        { title: say("Checkpoint"), by: (each) => each.name, cell: (each) => this.#named(each) },
        { title: say("Time"), isNumber: true, by: (each) => each.time, cell: (each) => clock(each.time - this.#start) },
        { title: say("Step"), isNumber: true, by: (each) => each.step, cell: (each) => count(each.step) },
        { title: say("Epoch"), isNumber: true, by: (each) => each.epoch, cell: (each) => count(each.epoch) },
        { title: say("Size"), isNumber: true, by: (each) => each.bytes, cell: (each) => bytes(each.bytes) },
        { title: say("Took"), isNumber: true, by: (each) => each.seconds, cell: (each) => pause(each.seconds) },
        { title: say("Reason"), by: (each) => each.reason, cell: (each) => each.reason },
      ],
    });
    this.#parameters = new Table<[string, string]>({
      label: say("Hyperparameters"),
      key: ([name]) => name,
      none: say("The program has not reported any hyperparameters."),
      columns: [
        { title: say("Hyperparameter"), by: ([name]) => name, cell: ([name]) => name },
        { title: say("Value"), isWide: true, by: ([, value]) => (value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value), cell: ([, value]) => value || "–" },
      ],
    });
    const tabs = this.#tabs = new Tabs(say("Records of the run"), [
      [say("Events"), this.#events.element],
      [say("Generations"), this.#restarts.element],
      [say("Checkpoints"), this.#checkpoints.element],
      [say("Hyperparameters"), this.#parameters.element],
    ]);
    this.element = h("section.card.records", {}, tabs.element);
    if (!isRecording) fill(tabs.more, h("a", { href: pathOf("log", id) }, say("Log")));
  }

  /** Has a button beside each checkpoint call this. */
  offerForks(fork: (checkpoint: Checkpoint) => void): void {
    this.#fork = fork;
  }

  #named(checkpoint: Checkpoint): HTMLElement | string {
    const act = this.#fork;
    return act ? h("span.run-key", {}, checkpoint.name,
      button(say("Fork …"), () => act(checkpoint), { class: "link", title: say("Start a new run from this checkpoint"), "aria-label": say("Fork … from {}", checkpoint.name) })) : checkpoint.name;
  }

  /** `panel`: the tab that is raised. */
  show(detail: RunDetail, panel?: string): void {
    if (panel !== undefined) this.#tabs.choose(Math.max(0, panels.indexOf(panel)));
    this.#start = detail.clock;
    // Events that only explain a fault afterwards are for `batchscope show`.
    this.#events.show(detail.events.filter((event) => event.level !== "debug").sort((a, b) => b.id - a.id));
    this.#restarts.show([...detail.generations].sort((a, b) => b.number - a.number));
    this.#checkpoints.show([...detail.checkpoints].sort((a, b) => b.time - a.time));
    this.#parameters.show(Object.entries(detail.hyperparameters));
  }
}
