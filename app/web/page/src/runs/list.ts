// SPDX-License-Identifier: Apache-2.0
// The runs of the store: a filter, and below it those that train, those that wait and those that are over. Beside a run it
// is narrow; as a page of its own it has more to say of each, and runs to be compared are ticked. The trials of a sweep are
// one row, which a press unfolds.
import * as api from "../base/api";
import { h, Keyed, setAttributes, setText } from "../base/dom";
import * as format from "../base/format";
import { addKeys } from "../base/keys";
import { address, here, navigated, pathOf, setQuery } from "../base/route";
import { say } from "../base/say";
import { Endings, Signal } from "../base/signal";
import { Stream } from "../base/stream";
import { isActive, type RunSummary, toNumber } from "../base/types";
import { whereOf, whereOfTrials } from "./search";

const patience = 250; // ms, in which a person goes on writing
const mostCompared = 10;
const rest = 15_000; // ms, behind which runs are asked for again, of which nothing is heard

interface Group {
  title: string;
  holds: (run: RunSummary) => boolean;
}

const stateOf = (run: RunSummary) => run.live?.state ?? run.state;
const keyOf = (run: RunSummary) => (run.fold ? `sweep ${run.name}` : run.id);
const groups: Group[] = [
  { title: say("Active"), holds: (run) => isActive(stateOf(run)) || stateOf(run) === "paused" },
  { title: say("Waiting"), holds: (run) => stateOf(run) === "pending" },
  { title: say("Earlier"), holds: () => true },
];

const sorts: [string, string][] = [["-created", say("Newest first")], ["name", say("By name")], ["-accuracy", say("Best accuracy")],
  ["loss", say("Lowest loss")], ["-goodput", say("Highest goodput")], ["-duration", say("Longest")]];

export interface RunListOptions {
  isWide: boolean;
}

export class RunList {
  readonly element: HTMLElement;
  readonly compared = new Set<string>();
  readonly comparedChanged = new Signal();
  private readonly filter = h("input", { type: "search", placeholder: say("Find runs, e.g. accuracy>0.97"),
    "aria-label": say("Find runs"), "aria-describedby": "filter-complaint", spellcheck: "false", autocomplete: "off" });
  private readonly sort = h("select", { "aria-label": say("Sort") }, ...sorts.map(([value, text]) => h("option", { value }, text)));
  private readonly complaint = h("p.complaint", { id: "filter-complaint", role: "status" });
  private readonly sections: { group: Group; element: HTMLElement; rows: Keyed<RunSummary, HTMLElement> }[];
  private readonly unfolded = new Set<string>(); // names of sweeps
  private readonly trials = new Map<string, Keyed<RunSummary, HTMLElement>>(); // rows below those of sweeps
  private readonly empty = h("p.empty", { hidden: true });
  private readonly endings = new Endings();
  private asking: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private opened = here().id;

  constructor(private readonly options: RunListOptions) {
    this.sections = groups.map((group) => {
      const list = h("ul.runs");
      const element = h("section", { hidden: true }, h("h2", {}, group.title), list);
      return { group, element, rows: this.rowsIn(list) };
    });
    const head = h("div.list-head", {}, this.filter, options.isWide && this.sort);
    this.element = h("section.run-list", { "data-wide": options.isWide, "aria-label": say("Runs") },
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
    const silence = setInterval(() => {
      if (!document.hidden) void this.ask();
    }, rest);
    this.endings.add(
      () => stream.end(),
      () => clearInterval(silence),
      () => clearTimeout(this.timer),
      () => this.asking?.abort(),
      navigated.listen((route) => {
        this.opened = route.id;
        void this.ask();
      }),
      addKeys(say("Runs"), [
        { key: "/", text: say("Find runs"), act: () => this.filter.focus() },
        { key: "j", text: say("Next run"), act: () => this.step(1) },
        { key: "k", text: say("Previous run"), act: () => this.step(-1) },
        { key: "Enter", text: say("Open it, or unfold the trials of a sweep") },
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
      const where = whereOf(this.filter.value);
      const answer = await api.foldedRuns(where, this.sorted, asking.signal);
      this.show(answer.runs, answer.total);
      await Promise.all(answer.runs.filter((run) => run.fold && this.unfolded.has(run.name)).map((run) => this.showTrials(run.name, asking.signal)));
      this.complain("");
    } catch (error) {
      if (asking.signal.aborted) return;
      // Half a filter is not wrong yet while a person writes on.
      this.timer = setTimeout(() => this.complain((error as Error).message), 2 * patience);
    }
  }

  private get sorted(): string {
    return this.options.isWide ? this.sort.value : "-created";
  }

  private async showTrials(sweep: string, signal?: AbortSignal): Promise<void> {
    const answer = await api.runs(whereOfTrials(whereOf(this.filter.value), sweep), this.sorted, signal);
    if (this.unfolded.has(sweep)) this.trials.get(sweep)?.set(answer.runs);
  }

  private async unfold(sweep: string): Promise<void> {
    if (this.unfolded.delete(sweep)) this.trials.get(sweep)?.set([]);
    else this.unfolded.add(sweep);
    await this.ask();
  }

  private rowsIn(list: HTMLElement): Keyed<RunSummary, HTMLElement> {
    return new Keyed<RunSummary, HTMLElement>(list, keyOf, (run) => (run.fold ? this.fold(run) : this.row(run)), (row, run) => this.fill(row, run));
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
    setText(this.empty, this.filter.value.trim() === "" ? say("No runs yet. Start one in a terminal: batchscope run train.py") : say("No run matches."));
  }

  private cells(): HTMLElement[] {
    const classes = ["dot", "run-name", "run-replicas", "run-detail"];
    if (this.options.isWide) classes.push("run-goodput", "run-duration", "run-created");
    return classes.map((name) => h(`span.${name}`));
  }

  // A sweep, and below it its trials while it is unfolded.
  private fold(run: RunSummary): HTMLElement {
    const press = h("button.run-row", { type: "button" }, ...this.cells());
    press.addEventListener("click", () => void this.unfold(run.name));
    const list = h("ul.runs.trials", { "aria-label": say("Trials of {}", run.name) });
    this.trials.set(run.name, this.rowsIn(list));
    const link = h("a.sweep-link", { href: pathOf("sweep", run.name), title: say("The sweep {}", run.name) }, say("Sweep"));
    return h("li.fold", {}, h("div.fold-head", {}, press, link), list);
  }

  private row(run: RunSummary): HTMLElement {
    const link = h("a.run-row", { href: pathOf("run", run.id) }, ...this.cells());
    if (!this.options.isWide) return h("li", {}, link);
    const tick = h("input", { type: "checkbox", "aria-label": say("Compare {}", run.name || run.id) });
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
    const { shown } = run;
    // The first of its kind: a sweep's own, not its trials'.
    const set = (name: string, text: string) => {
      const element = row.querySelector(`.${name}`);
      if (element) setText(element, text);
    };
    set("run-name", run.name || run.id);
    set("run-replicas", shown.badge);
    set("run-detail", shown.detail);
    if (this.options.isWide) {
      const goodput = toNumber((run.live?.latest ?? run.latest)["goodput"]);
      set("run-goodput", Number.isNaN(goodput) ? "" : say("{} samples/s", format.number(goodput)));
      const seconds = run.live?.elapsed ?? (run.ended ?? 0) - run.created;
      set("run-duration", seconds > 0 ? format.duration(seconds) : "");
      set("run-created", format.timeOfDay(run.created));
    }
    setAttributes(row.querySelector(".run-row")!, {
      "data-tone": shown.tone,
      title: shown.state,
      "aria-current": !run.fold && run.id === this.opened ? "page" : null,
      "aria-expanded": run.fold ? String(this.unfolded.has(run.name)) : null,
    });
  }

  // Moves the focus to the next row, or the one before.
  private step(by: number): void {
    const rows = [...this.element.querySelectorAll<HTMLElement>(".run-row")];
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

