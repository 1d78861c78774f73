// SPDX-License-Identifier: Apache-2.0
// The runs of the store: a filter, and below it those that train, those that wait and those that are over. Beside a run it
// is narrow; as a page of its own it has more to say of each, and runs to be compared are ticked.
import * as api from "../base/api";
import { h, Keyed, setAttributes, setText } from "../base/dom";
import * as format from "../base/format";
import { addKeys } from "../base/keys";
import { address, here, navigated, pathOf, setQuery } from "../base/route";
import { Endings, Signal } from "../base/signal";
import { Stream } from "../base/stream";
import { isActive, type RunSummary, toNumber } from "../base/types";
import { detailText, stateText, toneOf } from "../run/words";
import { whereOf } from "./search";

const patience = 250; // ms, in which a person goes on writing
const mostCompared = 10;

interface Group {
  title: string;
  holds: (run: RunSummary) => boolean;
}

const stateOf = (run: RunSummary) => run.live?.state ?? run.state;
const groups: Group[] = [
  { title: "Active", holds: (run) => isActive(stateOf(run)) || stateOf(run) === "paused" },
  { title: "Waiting", holds: (run) => stateOf(run) === "pending" },
  { title: "Earlier", holds: () => true },
];

const sorts: [string, string][] = [["-created", "Newest first"], ["name", "By name"], ["-accuracy", "Best accuracy"],
  ["loss", "Lowest loss"], ["-goodput", "Highest goodput"], ["-duration", "Longest"]];

export interface RunListOptions {
  isWide: boolean;
}

export class RunList {
  readonly element: HTMLElement;
  readonly compared = new Set<string>();
  readonly comparedChanged = new Signal();
  private readonly filter = h("input", { type: "search", placeholder: "Find runs, e.g. accuracy>0.97",
    "aria-label": "Find runs", "aria-describedby": "filter-complaint", spellcheck: "false", autocomplete: "off" });
  private readonly sort = h("select", { "aria-label": "Sort" }, ...sorts.map(([value, text]) => h("option", { value }, text)));
  private readonly complaint = h("p.complaint", { id: "filter-complaint", role: "status" });
  private readonly sections: { group: Group; element: HTMLElement; rows: Keyed<RunSummary, HTMLElement> }[];
  private readonly empty = h("p.empty", { hidden: true });
  private readonly endings = new Endings();
  private asking: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private opened = here().id;

  constructor(private readonly options: RunListOptions) {
    this.sections = groups.map((group) => {
      const list = h("ul.runs");
      const element = h("section", { hidden: true }, h("h2", {}, group.title), list);
      const rows = new Keyed<RunSummary, HTMLElement>(list, (run) => run.id, (run) => this.row(run), (row, run) => this.fill(row, run));
      return { group, element, rows };
    });
    const head = h("div.list-head", {}, this.filter, options.isWide && this.sort);
    this.element = h("section.run-list", { "data-wide": options.isWide, "aria-label": "Runs" },
      head, this.complaint, this.empty, ...this.sections.map((section) => section.element));
    const { query } = here();
    if (options.isWide) {
      this.filter.value = query.get("where") ?? "";
      this.sort.value = query.get("sort") ?? "-created";
    }
    this.filter.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), patience);
    });
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.filter.blur();
      if (event.key === "ArrowDown") this.step(1);
    });
    this.sort.addEventListener("change", () => this.look());
    const stream = new Stream("/api/changes", { changed: () => void this.ask() }, () => void this.ask());
    this.endings.add(
      () => stream.end(),
      () => clearTimeout(this.timer),
      () => this.asking?.abort(),
      navigated.listen((route) => {
        this.opened = route.id;
        void this.ask();
      }),
      addKeys("Runs", [
        { key: "/", text: "Find runs", act: () => this.filter.focus() },
        { key: "j", text: "Next run", act: () => this.step(1) },
        { key: "k", text: "Run before", act: () => this.step(-1) },
        { key: "Enter", text: "Open it" },
      ]),
    );
    void this.ask();
  }

  end(): void {
    this.endings.end();
  }

  private look(): void {
    if (this.options.isWide) {
      setQuery({ where: this.filter.value, sort: this.sort.value === "-created" ? null : this.sort.value });
    }
    void this.ask();
  }

  private async ask(): Promise<void> {
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    try {
      const answer = await api.runs(whereOf(this.filter.value), this.options.isWide ? this.sort.value : "-created", 0, asking.signal);
      this.show(answer.runs, answer.total);
      this.complain("");
    } catch (error) {
      if (asking.signal.aborted) return;
      // Half a filter is not wrong yet while a person writes on.
      this.timer = setTimeout(() => this.complain((error as Error).message), 2 * patience);
    }
  }

  // The sentence; what follows in other lines points at the place in a terminal.
  private complain(text: string): void {
    setText(this.complaint, text.split("\n", 1)[0]!);
    setAttributes(this.filter, { "aria-invalid": text !== "" });
  }

  private show(runs: readonly RunSummary[], total: number): void {
    const left = new Set(runs);
    for (const { group, element, rows } of this.sections) {
      const held = [...left].filter(group.holds);
      held.forEach((run) => left.delete(run));
      rows.set(held);
      element.hidden = held.length === 0;
    }
    this.empty.hidden = total > 0 && runs.length > 0;
    setText(this.empty, this.filter.value.trim() === "" ? "No run yet. batchscope run digits starts one." : "No run is like that.");
  }

  private row(run: RunSummary): HTMLElement {
    const link = h("a.run-row", { href: pathOf("run", run.id) },
      h("span.dot"), h("span.run-name"), h("span.run-replicas"), h("span.run-detail"));
    if (!this.options.isWide) return h("li", {}, link);
    link.append(h("span.run-goodput"), h("span.run-duration"), h("span.run-created"));
    const tick = h("input", { type: "checkbox", "aria-label": `Compare ${run.name || run.id}` });
    tick.addEventListener("change", () => {
      if (tick.checked) this.compared.add(run.id);
      else this.compared.delete(run.id);
      if (this.compared.size > mostCompared) this.compared.delete(run.id);
      tick.checked = this.compared.has(run.id);
      this.comparedChanged.emit();
    });
    return h("li", {}, h("label.tick", {}, tick), link);
  }

  private fill(row: HTMLElement, run: RunSummary): void {
    const state = stateOf(run);
    const set = (name: string, text: string) => {
      const element = row.querySelector(`.${name}`);
      if (element) setText(element, text);
    };
    const replicas = run.live?.replicas ?? run.replicas;
    const isTraining = isActive(state);
    set("run-name", run.name || run.id);
    set("run-replicas", isTraining ? `×${replicas}` : state === "finished" ? "done" : state);
    set("run-detail", detailText(run));
    if (this.options.isWide) {
      const goodput = toNumber((run.live?.latest ?? run.latest)["goodput"]);
      set("run-goodput", Number.isNaN(goodput) ? "" : `${format.number(goodput)} samples/s`);
      const seconds = run.live?.elapsed ?? (run.ended ?? 0) - run.created;
      set("run-duration", seconds > 0 ? format.duration(seconds) : "");
      set("run-created", format.timeOfDay(run.created));
    }
    const link = row.querySelector("a")!;
    setAttributes(link, {
      "data-tone": toneOf[state],
      title: stateText(state, run.live ?? null),
      "aria-current": run.id === this.opened ? "page" : null,
    });
  }

  // Moves the focus to the next row, or the one before.
  private step(by: number): void {
    const rows = [...this.element.querySelectorAll<HTMLAnchorElement>("a.run-row")];
    const at = rows.findIndex((row) => row === document.activeElement);
    const open = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const from = at >= 0 ? at : open >= 0 ? open : by > 0 ? -1 : rows.length;
    rows[Math.max(0, Math.min(rows.length - 1, from + by))]?.focus();
  }
}

/** Where the ticked ones are compared. */
export function compareAddress(runs: Iterable<string>): string {
  return address("/compare", new URLSearchParams({ runs: [...runs].join(",") }));
}

