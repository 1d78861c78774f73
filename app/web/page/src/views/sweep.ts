// SPDX-License-Identifier: Apache-2.0
// A sweep, as the window's page of it: how far it is, its trials as parallel coordinates to brush, learning curves, the best
// so far, one value over another, what matters, and a table to filter, open and compare.
import { get } from "../base/api";
import { button, fill, h, setAttributes, setText } from "../base/dom";
import { count, duration, percent } from "../base/format";
import { keepFresh } from "../base/fresh";
import { address, go, pathOf, type Route, setQuery } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Endings } from "../base/signal";
import { type Column, Table } from "../base/table";
import { card, totals } from "../figure/card";
import { Figure } from "../figure/figure";
import { Brushes } from "../sweep/brushes";
import { bestFigure, bestIndex, importanceFigure, learningCurves, scatter } from "../sweep/figures";
import { ParallelPlot } from "../sweep/parallel";
import { SweepActions } from "../sweep/sweep_actions";
import { metricAxis, numeric, parameterAxes, ranks, type Sweep, type Trial, type TrialAxis } from "../sweep/trials";

const mostCompared = 10;
const figureHeight = 210;
const mostRows = 500; // of the table: a browser needs a second for some thousands

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  let sweep: Sweep | undefined;
  let newest = 0; // of the questions that were asked
  let axes: TrialAxis[] = [];
  let rank: number[] = [];
  let by: "time" | "devices" = route.query.get("by") === "devices" ? "devices" : "time";
  const chosen = new Set<number>();
  const brushes = new Brushes();

  const title = h("h1", {}, route.id);
  const chip = h("span.chip");
  const verbs = h("span.actions.verbs");
  const actions = new SweepActions(load);
  const facts = h("div");
  const progress = h("progress.cards-progress", { "aria-label": say("How far the sweep is") });
  const failure = h("p.failure", { role: "alert", hidden: true });

  const parallel = new ParallelPlot(brushes, showKept, (trial) => open(sweep!.trials[trial]!));
  const curves = new Figure(figureHeight);
  const best = new Figure(figureHeight);
  const dots = new Figure(figureHeight);
  const importance = new Figure(figureHeight);
  for (const figure of [parallel, curves, best, dots, importance]) endings.add(() => figure.end());

  const clear = button(say("Clear brushes"), () => {
    brushes.clear();
    parallel.draw();
    showKept();
  }, { disabled: true });
  const over = h("select", { "aria-label": say("Horizontal axis of the scatter") });
  over.addEventListener("change", () => {
    setQuery({ over: over.value });
    showKept();
  });
  const budget = h("select", { "aria-label": say("Over time or device time") }, h("option", { value: "time" }, say("Time")), h("option", { value: "devices" }, say("Device time")));
  budget.value = by;
  budget.addEventListener("change", () => {
    by = budget.value === "devices" ? "devices" : "time";
    setQuery({ by: by === "time" ? null : by });
    refresh();
  });
  const filter = h("input", { type: "search", placeholder: say("Filter trials by words"), "aria-label": say("Filter trials") });
  filter.addEventListener("input", showKept);
  const compare = button(say("Compare"), () => {
    const runs = sweep!.trials.filter((trial) => chosen.has(trial.trial)).map(lastRun).filter((run) => run !== undefined);
    go(address("/compare", new URLSearchParams({ runs: runs.join(",") })));
  }, { disabled: true });
  const trialCount = h("span");
  const file = (format: string, title: string) => h("a", { href: `/api/sweeps/${encodeURIComponent(route.id)}/trials?format=${format}`, download: true, title }, format.toUpperCase());
  const files = [file("csv", say("Save all trials as a table")), file("json", say("Save all trials and their legs")), file("toml", say("Save the sweep's own file"))];
  const tableHost = h("div");
  let table: Table<Trial> | undefined;
  let tableColumns = "";

  root.append(h("div.page.is-full", {},
    h("header.page-head", {}, h("nav", { "aria-label": say("Above this page") }, h("a", { href: pathOf("sweeps") }, say("Sweeps"))), title, chip, verbs),
    failure, actions.answer, facts, progress,
    h("div.cards", {},
      card({ title: say("Parallel coordinates"), note: say("stronger lines are better trials, and the best is orange; drag along an axis to select a range"), actions: [clear], isWide: true }, parallel.element),
      card({ title: say("Learning curves") }, curves.element),
      card({ title: say("Best so far"), actions: [budget] }, best.element),
      card({ title: say("Scatter"), note: say("the metric over"), actions: [over] }, dots.element),
      card({ title: say("Importance") }, importance.element),
      card({ title: say("Trials"), note: trialCount, actions: [filter, compare, ...files], isWide: true }, tableHost))));

  void serverAbout().then((about) => {
    if (!about.read_only) verbs.append(...actions.buttons);
  });

  function open(trial: Trial): void {
    const run = lastRun(trial);
    if (run) go(pathOf("run", run));
  }

  function makeTable(names: string[]): Table<Trial> {
    const metric = sweep!.sweep.metric;
    const columns: Column<Trial>[] = [
      { title: say("Pick"), cell: (trial) => checkbox(trial) },
      { title: say("Trial"), isNumber: true, by: (trial) => trial.trial, cell: trialLink },
      { title: say("State"), by: ({ shown }) => shown.state, cell: ({ shown }) => h("span.state", { "data-tone": shown.tone }, shown.state) },
      ...names.map((name): Column<Trial> => ({
        title: name,
        isNumber: sweep!.trials.every((trial) => !Number.isNaN(Number(trial.parameters[name] ?? 0))),
        by: (trial) => (Number.isNaN(Number(trial.parameters[name])) ? (trial.parameters[name] ?? "") : Number(trial.parameters[name])),
        cell: (trial) => trial.parameters[name] ?? "–",
      })),
      { title: metric, isNumber: true, by: (trial) => numeric(trial.value), cell: (trial) => trial.shown.value },
      { title: say("Rung"), isNumber: true, by: (trial) => trial.rung ?? -1, cell: (trial) => (trial.rung === null ? "–" : count(trial.rung)) },
      { title: say("Device time"), isNumber: true, by: (trial) => trial.device_hours, cell: (trial) => duration(3600 * trial.device_hours) },
      { title: say("What went wrong"), isWide: true, cell: (trial) => trial.message },
    ];
    return new Table<Trial>({
      label: say("Trials"),
      key: (trial) => String(trial.trial),
      columns,
      none: say("No trial matches."),
      most: mostRows,
      sort: { column: 3 + names.length, isDown: sweep!.sweep.goal === "max" },
      rowClass: (trial) => (trial.trial === sweep!.sweep.best?.trial ? "is-best" : ""),
    });
  }

  function checkbox(trial: Trial): HTMLElement {
    const box = h("input", { type: "checkbox", "aria-label": say("Compare trial {}", trial.trial), disabled: lastRun(trial) === undefined });
    box.checked = chosen.has(trial.trial);
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(trial.trial);
      else chosen.delete(trial.trial);
      refreshCompare();
    });
    return h("label.tick", {}, box);
  }

  function refreshCompare(): void {
    compare.disabled = chosen.size < 2 || chosen.size > mostCompared;
    setText(compare, chosen.size > 1 ? say("Compare {}", chosen.size) : say("Compare"));
    compare.title = chosen.size > mostCompared ? say("At most {} runs", mostCompared) : say("Choose two or more trials in the table");
  }

  function refresh(): void {
    if (!sweep) return;
    curves.show(learningCurves(sweep, rank));
    best.show(bestFigure(sweep, by));
    importance.show(importanceFigure(sweep));
    showKept();
  }

  // Shows what the brushes and the filter leave.
  function showKept(): void {
    if (!sweep) return;
    const { metric } = sweep.sweep;
    const all = [...axes, metricAxis(sweep)];
    const keeps = (index: number) => brushes.keeps(all, index);
    clear.disabled = brushes.isEmpty;
    const x = axes.find((axis) => axis.name === over.value) ?? axes[0];
    if (x) dots.show(scatter(sweep, x, all[all.length - 1]!, rank, keeps));

    const names = axes.map((axis) => axis.name);
    if (!table || tableColumns !== `${metric} ${names.join(" ")}`) {
      tableColumns = `${metric} ${names.join(" ")}`;
      table = makeTable(names);
      fill(tableHost, table.element);
    }
    const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const shown = sweep.trials.filter((trial, i) => {
      const text = `${trial.trial} ${trial.shown.state} ${Object.entries(trial.parameters).flat().join(" ")} ${trial.message}`.toLowerCase();
      return keeps(i) && words.every((word) => text.includes(word));
    });
    setText(trialCount, shown.length === sweep.trials.length ? count(shown.length) : say("{} of {}", count(shown.length), count(sweep.trials.length)));
    table.show(shown);
    refreshCompare();
  }

  function refreshFacts(now: Sweep): void {
    const { message, share, shown } = now.sweep;
    setText(title, now.sweep.name);
    document.title = `${now.sweep.name} · BatchScope`;
    setText(chip, shown.state);
    setAttributes(chip, { "data-tone": shown.tone });
    fill(facts, totals(...shown.totals.map(({ name, value }): [string, string] => [name, value]),
      ...(shown.left === "" ? [] : [[say("Time left"), shown.left] as [string, string]])),
      message && h("p.note", {}, message));
    progress.value = share;
    progress.textContent = percent(share);
  }

  async function load(): Promise<void> {
    try {
      const asked = ++newest;
      const now = await get<Sweep>(`/api/sweeps/${encodeURIComponent(route.id)}`);
      if (asked < newest) return;
      if (JSON.stringify(now) === JSON.stringify(sweep)) return;
      sweep = now;
    } catch (error) {
      failure.hidden = false;
      setText(failure, (error as Error).message);
      return;
    }
    failure.hidden = true;
    axes = parameterAxes(sweep);
    rank = ranks(sweep);
    const wanted = over.value || route.query.get("over") || axes[0]?.name;
    fill(over, ...axes.map((axis) => h("option", { value: axis.name, selected: axis.name === wanted }, axis.name)));
    refreshFacts(sweep);
    actions.show(sweep);
    const { trials } = sweep;
    parallel.show({ axes: [...axes, metricAxis(sweep)], ranks: rank, best: bestIndex(sweep), text: (trial) => trials[trial]!.shown.text });
    refresh();
  }

  endings.add(keepFresh(["sweeps"], load));
  return () => endings.end();
}

function lastRun(trial: Trial): string | undefined {
  return trial.runs[trial.runs.length - 1] ?? undefined;
}

function trialLink(trial: Trial): HTMLElement | string {
  const run = lastRun(trial);
  return run ? h("a", { href: pathOf("run", run) }, String(trial.trial)) : String(trial.trial);
}
