// SPDX-License-Identifier: Apache-2.0
// The records of a run beside its samples, as tabs of tables: events, restarts, checkpoints and hyperparameters.
import { button, fill, h } from "../base/dom";
import { bytes, clock, count, pause } from "../base/format";
import { isRecording } from "../base/recording";
import { pathOf } from "../base/route";
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
      label: "Events",
      key: (event) => String(event.id),
      none: "Nothing has happened yet.",
      columns: [
        { title: "Time", isNumber: true, cell: (event) => clock(event.time - this.#start) },
        { title: "Step", isNumber: true, cell: (event) => count(event.step) },
        { title: "Event", isWide: true, cell: (event) => event.text },
      ],
      rowClass: (event) => (event.level === "info" ? "" : event.level),
    });
    this.#restarts = new Table<Generation>({
      label: "Generations",
      key: (each) => String(each.number),
      none: "The run has not begun yet.",
      columns: [
        { title: "Generation", isNumber: true, cell: (each) => count(each.number) },
        { title: "Replicas", isNumber: true, cell: (each) => count(each.replicas) },
        { title: "Reason", cell: (each) => each.reason },
        { title: "Steps", isNumber: true, cell: (each) => `${count(each.first_step)} – ${count(each.last_step)}` },
        { title: "Pause", isNumber: true, cell: (each) => (each.pause === null ? "–" : pause(each.pause)) },
        { title: "Parts of the pause", isWide: true, cell: (each) => Object.entries(each.pause_parts).map(([name, seconds]) => `${name.replaceAll("_", " ")} ${pause(seconds)}`).join(", ") || "–" },
        { title: "Outcome", cell: (each) => each.outcome || "trains" },
      ],
    });
    this.#checkpoints = new Table<Checkpoint>({
      label: "Checkpoints",
      key: (each) => each.name,
      none: "No checkpoint yet.",
      columns: [
        { title: "Checkpoint", by: (each) => each.name, cell: (each) => this.#named(each) },
        { title: "Time", isNumber: true, by: (each) => each.time, cell: (each) => clock(each.time - this.#start) },
        { title: "Step", isNumber: true, by: (each) => each.step, cell: (each) => count(each.step) },
        { title: "Epoch", isNumber: true, by: (each) => each.epoch, cell: (each) => count(each.epoch) },
        { title: "Size", isNumber: true, by: (each) => each.bytes, cell: (each) => bytes(each.bytes) },
        { title: "Took", isNumber: true, by: (each) => each.seconds, cell: (each) => pause(each.seconds) },
        { title: "Reason", by: (each) => each.reason, cell: (each) => each.reason },
      ],
    });
    this.#parameters = new Table<[string, string]>({
      label: "Hyperparameters",
      key: ([name]) => name,
      none: "The program has not reported any hyperparameters.",
      columns: [
        { title: "Hyperparameter", by: ([name]) => name, cell: ([name]) => name },
        { title: "Value", isWide: true, by: ([, value]) => (value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value), cell: ([, value]) => value || "–" },
      ],
    });
    const tabs = this.#tabs = new Tabs("Records of the run", [
      ["Events", this.#events.element],
      ["Generations", this.#restarts.element],
      ["Checkpoints", this.#checkpoints.element],
      ["Hyperparameters", this.#parameters.element],
    ]);
    this.element = h("section.card.records", {}, tabs.element);
    if (!isRecording) fill(tabs.more, h("a", { href: pathOf("log", id) }, "Log"));
  }

  /** Has a button beside each checkpoint call this. */
  offerForks(fork: (checkpoint: Checkpoint) => void): void {
    this.#fork = fork;
  }

  #named(checkpoint: Checkpoint): HTMLElement | string {
    const act = this.#fork;
    return act ? h("span.run-key", {}, checkpoint.name,
      button("Fork …", () => act(checkpoint), { class: "link", title: "Start a new run from this checkpoint", "aria-label": `Fork … from ${checkpoint.name}` })) : checkpoint.name;
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
