// SPDX-License-Identifier: Apache-2.0
// Runs beside one another: the same charts, a colour for each run, their values, and in which hyperparameters they differ.
import * as api from "../base/api";
import { around, button, fill, h, Keyed, setText } from "../base/dom";
import { clock, count } from "../base/format";
import { type Route, setQuery } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { type Column, Table } from "../base/table";
import { Chart } from "../chart/chart";
import { beforeNextFrame } from "../chart/frame";
import { ViewState } from "../chart/view_state";
import { type ComparedChart, comparedCharts, frameOf, linesOf } from "../compare/charts";
import { Compared, mostCompared } from "../compare/compared";
import { ComparedFigures } from "../compare/figures";
import { type Difference, differences } from "../compare/differences";
import { runName, swatch, type ValueRow, valuesTable, valueAt } from "../compare/values";
import { card } from "../figure/card";
import { viewControls } from "../run/view_controls";

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  const view = new ViewState(route.query);
  const compared = new Compared(view);
  const drawn = new Map<string, Chart>();
  let charts: ComparedChart[] = [];
  let values: Table<ValueRow> | null = null;

  const chips = h("ul.run-chips", { "aria-label": say("Compared runs") });
  const more = h("select", { "aria-label": say("Add a run") });
  const controls = viewControls(view);
  const dashboard = h("section.dashboard", { "aria-label": say("Charts") });
  const empty = h("p.empty", { hidden: true }, ...around(say("No runs are compared yet. Add runs above, or tick some in {}."), h("a", { href: "/" }, say("the list"))));
  const cards = new Keyed<ComparedChart, HTMLElement>(dashboard, ({ spec }) => spec.name, (chart) => {
    const made = new Chart(frameOf(chart), view);
    drawn.set(chart.spec.name, made);
    return made.element;
  }, () => {});
  const when = h("span");
  const valuesHost = h("div");
  const all = h("input", { type: "checkbox" });
  all.addEventListener("change", showDifferences);
  const differ = h("span");
  const differencesHost = h("div");
  const tables = h("div.cards", {},
    card({ title: say("Values"), note: when, isWide: true }, valuesHost),
    card({ title: say("Hyperparameters"), note: differ, actions: [h("label.check", {}, all, say("Show all"))], isWide: true }, differencesHost));
  const figures = new ComparedFigures(compared);
  root.append(h("div.page.is-full.compare-view", {},
    h("header.page-head", {}, h("h1", {}, say("Compare")), more, controls.element), chips, empty, dashboard, tables, figures.element));
  document.title = `${say("Compare")} · BatchScope`;

  const ids = () => compared.runs.map((run) => run.id);
  function choose(chosen: readonly string[]): void {
    setQuery({ runs: chosen.join(",") || null });
    compared.set(chosen);
    void offer();
  }

  more.addEventListener("change", () => {
    if (more.value !== "") choose([...ids(), more.value]);
  });

  async function offer(): Promise<void> {
    const { runs } = await api.runs("", "-created");
    const others = runs.filter((run) => !ids().includes(run.id));
    const isFull = ids().length >= mostCompared;
    fill(more, h("option", { value: "" }, isFull ? say("{} runs at most", mostCompared) : say("Add a run …")),
      ...(isFull ? [] : others.map((run) => h("option", { value: run.id }, `${run.name || run.id} (${run.id})`))));
    more.disabled = isFull || others.length === 0;
  }

  function showRuns(): void {
    const { runs } = compared;
    empty.hidden = runs.length > 0;
    tables.hidden = dashboard.hidden = runs.length === 0;
    root.firstElementChild?.classList.toggle("is-many", runs.length > 3);
    fill(chips, ...runs.map((run, i) => h("li", {}, swatch(i), h("span", {}, run.name),
      button("×", () => choose(ids().filter((id) => id !== run.id)), { "aria-label": say("Remove {}", run.name) }))));
    charts = comparedCharts(runs);
    for (const [name, chart] of drawn) {
      if (charts.some(({ spec }) => spec.name === name)) continue;
      chart.end();
      drawn.delete(name);
    }
    cards.set(charts);
    values = valuesTable(charts);
    fill(valuesHost, values.element);
    want();
    draw();
    showDifferences();
  }

  function want(): void {
    const width = dashboard.querySelector<HTMLElement>(".plot")?.clientWidth ?? 600;
    for (const run of compared.runs) {
      const recorded = new Set(run.detail?.series.map((series) => series.name));
      const seriesOf = (of: typeof charts) => of.map(({ line }) => line.series).filter((name) => recorded.has(name));
      run.samples.want(seriesOf(charts), width * devicePixelRatio, seriesOf(charts.filter(({ spec }) => spec.isLogLog)));
    }
  }

  function draw(): void {
    for (const chart of charts) drawn.get(chart.spec.name)?.setLines(linesOf(chart, compared.runs), []);
    showValues();
  }

  function showValues(): void {
    const at = view.cursor;
    if (at === null) setText(when, view.isZoomed ? say("at the end of the shown range") : say("the newest value of each run"));
    else if (view.axis === "time") setText(when, say("at {}", clock(at)));
    else setText(when, view.axis === "step" ? say("at step {}", count(Math.round(at))) : say("at iteration {}", count(Math.round(at))));
    values?.show(compared.runs.map((run, colour) => ({ run, colour, values: charts.map((chart) => valueAt(run, chart, at)) })));
  }

  function showDifferences(): void {
    const { runs } = compared;
    const found = differences(runs.map((run) => run.detail?.hyperparameters ?? {}));
    const different = found.filter((each) => each.isDifferent);
    setText(differ, different.length === 0 ? say("all the same") : different.length === 1 ? say("1 differs") : say("{} differ", different.length));
    const columns: Column<Difference>[] = [
      { title: say("Hyperparameter"), by: ({ name }) => name, cell: ({ name }) => name },
      ...runs.map((run, i): Column<Difference> => ({ title: run.name, head: () => runName(run, i), cell: ({ values: of }) => of[i] ?? "–" })),
    ];
    const table = new Table<Difference>({
      label: say("Hyperparameters"),
      key: ({ name }) => name,
      columns,
      none: say("The runs have the same hyperparameters."),
      rowClass: ({ isDifferent }) => (isDifferent && all.checked ? "is-different" : ""),
    });
    table.show(all.checked ? found : different);
    fill(differencesHost, table.element);
  }

  const soon = () => beforeNextFrame(showValues);
  const sizes = new ResizeObserver(want);
  sizes.observe(dashboard);
  endings.add(
    compared.changed.listen(showRuns),
    compared.samplesChanged.listen(draw),
    view.cursorMoved.listen(soon),
    () => sizes.disconnect(),
    () => controls.end(),
    () => figures.end(),
    () => compared.end(),
    () => drawn.forEach((chart) => chart.end()),
  );
  choose((route.query.get("runs") ?? "").split(",").filter((id) => id !== ""));
  return () => endings.end();
}
