// SPDX-License-Identifier: Apache-2.0
// The decisions of the pool, one by one: the list of them, and of the chosen one the devices of each run, why it has so many,
// and what other numbers would have been worth.
import { get } from "../base/api";
import { button, h, setText } from "../base/dom";
import { pathOf } from "../base/route";
import { Table } from "../base/table";
import { timeOfDay } from "../base/format";
import { say } from "../base/say";
import type { Tone } from "../base/types";
import { card } from "../figure/card";

interface Choice {
  run: string;
  reason: string;
  shown: { name: string; devices: string; tone: Tone; alternatives: string };
}

interface Decision {
  id: number;
  time: number; // s since 1970
  cause: string;
  policy: string;
  choices: Choice[];
  idle: string[];
  shown: { changes: string; idle: string };
}

export class Decisions {
  readonly element: HTMLElement;
  private decisions: Decision[] = []; // the newest first
  private chosen: number | null = null; // its id; null: the newest
  private readonly title = h("h3");
  private readonly facts = h("p.hint");
  private readonly list = new Table<Decision>({
    label: say("Decisions"),
    key: ({ id }) => String(id),
    none: say("The pool has decided nothing yet."),
    rowClass: ({ id }) => (id === this.shown?.id ? "is-chosen" : ""),
    columns: [
      { title: say("Time"), isNumber: true, cell: ({ time }) => timeOfDay(time, true) },
      { title: say("Cause"), isWide: true, cell: ({ id, cause }) => button(cause, () => this.choose(id), { class: "unfold", "aria-pressed": String(id === this.shown?.id) }) },
      { title: say("Devices"), isWide: true, cell: ({ shown }) => shown.changes },
    ],
  });
  private readonly choices = new Table<Choice>({
    label: say("Devices of each run"),
    key: ({ run }) => run,
    none: say("No run held devices or wanted some."),
    columns: [
      { title: say("Run"), cell: ({ run, shown }) => h("a", { href: pathOf("run", run) }, shown.name) },
      { title: say("Devices"), cell: ({ shown }) => h("span.state", { "data-tone": shown.tone }, shown.devices) },
      { title: say("Why"), isWide: true, cell: ({ reason }) => reason || "–" },
      { title: say("Alternatives"), isWide: true, cell: ({ shown }) => shown.alternatives || "–" },
    ],
  });

  constructor() {
    this.element = card({ title: say("Decisions"), note: say("of the pool, the newest first"), isWide: true },
      h("div.decisions", {}, this.list.element, h("div.decision", { "aria-live": "polite" }, this.title, this.facts, this.choices.element)));
    this.element.hidden = true;
  }

  async load(): Promise<void> {
    const { decisions } = await get<{ decisions: Decision[] }>("/api/decisions");
    this.decisions = decisions.reverse();
    this.show();
  }

  private get shown(): Decision | undefined {
    return this.decisions.find(({ id }) => id === this.chosen) ?? this.decisions[0];
  }

  private choose(id: number): void {
    this.chosen = id === this.decisions[0]?.id ? null : id;
    this.show();
  }

  private show(): void {
    const { shown } = this;
    this.element.hidden = shown === undefined;
    if (shown === undefined) return;
    this.list.show(this.decisions);
    setText(this.title, `${timeOfDay(shown.time, true)}, ${shown.cause}`);
    setText(this.facts, shown.idle.length > 0 ? say("policy {}, idle: {}", shown.policy, shown.shown.idle) : say("policy {}", shown.policy));
    this.choices.show(shown.choices);
  }
}
