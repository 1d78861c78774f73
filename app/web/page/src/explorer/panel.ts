// SPDX-License-Identifier: Apache-2.0
// The goodput explorer: what any number of replicas would bring, beside what is measured now, and the button that does it.
import { about, control, get, run as getRun, runPath } from "../base/api";
import { button, fill, h, setAttributes, setText } from "../base/dom";
import { count, number, percent, replicas } from "../base/format";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { Table } from "../base/table";
import { isActive, type RunDetail } from "../base/types";
import { batchFigure, type Explorer, legend, type MeasuredStep, names, type PredictedRestart, replicasFigure, stepTimeFigure } from "./what_if";
import { card } from "../figure/card";
import { Figure } from "../figure/figure";

const curveHeight = 280;
const timesHeight = 240;

export interface ExplorerOptions {
  replicas: number; // chosen at first; 0: as many as the run has
  told(run: RunDetail): void; // with each answer
  chosen(replicas: number): void; // by the slider
}

/** The cards of the explorer of a run; `data-figure` names those that lessons point at. */
export function explorerPanel(id: string, options: ExplorerOptions): { element: HTMLElement; end: () => void } {
  const endings = new Endings();
  let detail: RunDetail | undefined;
  let explorer: Explorer | undefined;
  let isReadOnly = true;
  let chosen = options.replicas; // 0: not yet
  let wanted = 0; // of requests: the last is what counts

  const failure = h("p.failure", { role: "alert", hidden: true });
  const overReplicas = new Figure(curveHeight);
  const overBatch = new Figure(curveHeight);
  const times = new Figure(timesHeight);
  for (const figure of [overReplicas, overBatch, times]) endings.add(() => figure.end());
  const slider = h("input", { type: "range", min: 1, max: 8, step: 1, "aria-label": say("Number of replicas") });
  const howMany = h("output.how-many");
  const bounds = h("p.hint");
  const error = h("span");
  const restart = button(say("Restart"), () => void apply());
  restart.hidden = true;
  const said = h("p.hint", { role: "status" });
  const body = h("tbody");
  const whatIf = h("table.what-if", { "aria-label": say("Measured and predicted") },
    h("thead", {}, h("tr", {}, h("td"), h("th.number", { scope: "col" }, say("measured now")), h("th.number", { scope: "col" }, say("predicted")))), body);
  const stepTimes = new Table<MeasuredStep>({
    label: say("Measured and predicted step times"),
    key: (each) => `${each.replicas} ${each.local_batch_size} ${each.accumulation}`,
    none: say("No step time has been measured yet."),
    columns: [
      { title: say("Replicas"), isNumber: true, by: (each) => each.replicas, cell: (each) => `×${each.replicas}` },
      { title: say("Local"), isNumber: true, by: (each) => each.local_batch_size, cell: (each) => count(each.local_batch_size) },
      { title: say("Accumulated"), isNumber: true, by: (each) => each.accumulation, cell: (each) => count(each.accumulation) },
      { title: say("Steps"), isNumber: true, by: (each) => each.steps, cell: (each) => count(each.steps) },
      { title: say("Measured, ms"), isNumber: true, by: (each) => each.measured, cell: (each) => number(1000 * each.measured) },
      { title: say("Predicted, ms"), isNumber: true, by: (each) => each.predicted, cell: (each) => number(1000 * each.predicted) },
      { title: say("Residual"), isNumber: true, by: (each) => Math.abs(each.residual), cell: (each) => residualText(each.residual) },
    ],
  });
  const record = h("span");
  const predictions = new Table<PredictedRestart>({
    label: say("Restarts: predicted and obtained"),
    key: (each) => String(each.generation),
    none: say("No restart has been predicted yet."),
    columns: [
      { title: say("Restart"), isNumber: true, by: (each) => each.generation, cell: (each) => count(each.generation) },
      { title: say("Replicas"), isNumber: true, by: (each) => each.replicas, cell: (each) => `×${each.replicas}` },
      { title: say("Rate, in samples/s"), by: (each) => each.what, cell: (each) => names[each.what] },
      { title: say("Predicted"), isNumber: true, by: (each) => each.predicted, cell: (each) => `≈ ${each.shown.predicted}` },
      { title: say("Expected"), isNumber: true, cell: (each) => each.shown.expected },
      { title: say("Obtained"), isNumber: true, by: (each) => each.obtained ?? NaN, cell: (each) => each.shown.obtained },
      { title: say("Off by"), isNumber: true, by: (each) => Math.abs(each.change ?? NaN), cell: ({ held, shown: { change } }) => (held === false ? say("{}, unexpected", change) : change) },
    ],
  });
  const lines = () => legend.map(([name, colour]) => {
    const line = h("i.swatch");
    line.style.background = colour;
    return h("span.key", {}, line, name);
  });
  const curve = card({ title: say("Goodput over replicas"), actions: lines() }, overReplicas.element);
  const overBatchCard = card({ title: say("Goodput over batch size"), actions: lines() }, overBatch.element);
  const whatIfCard = card({ title: say("What if"), actions: [howMany] }, slider, h("div.scroll", {}, whatIf), bounds, h("div.act", {}, said, restart));
  setAttributes(overBatchCard, { "data-figure": "curve" });
  setAttributes(whatIfCard, { "data-figure": "what-if" });
  const element = h("div", {}, failure,
    h("div.cards.of-two", {}, curve, whatIfCard, overBatchCard,
      card({ title: say("Measured and predicted step time"), note: error }, times.element, stepTimes.element),
      card({ title: say("Predicted and obtained by restarts"), note: record }, predictions.element)));

  slider.addEventListener("input", () => {
    chosen = Number(slider.value);
    options.chosen(chosen);
    refresh();
    void load();
  });

  function refresh(): void {
    if (!detail || !explorer) return;
    const curve = explorer.curve ?? [];
    const present = detail.status?.replicas ?? detail.run.replicas;
    if (chosen === 0) chosen = Math.max(1, present);
    slider.max = String(Math.max(2, curve[curve.length - 1]?.replicas ?? 8));
    slider.disabled = curve.length === 0;
    slider.value = String(chosen);
    chosen = Number(slider.value);
    slider.setAttribute("aria-valuetext", replicas(chosen));
    setText(howMany, replicas(chosen));
    const point = curve.find((each) => each.replicas === chosen);
    overReplicas.show(replicasFigure(explorer, chosen));
    overBatch.show(batchFigure(explorer, explorer.batch_curve?.replicas === chosen ? point : undefined));
    times.show(stepTimeFigure(explorer.measured ?? []));
    stepTimes.show(explorer.measured ?? []);
    predictions.show(explorer.predictions?.restarts ?? []);
    setText(record, explorer.predictions?.summary ?? "");
    setText(error, typeof explorer.mean_error === "number" ? say("mean error {}", percent(explorer.mean_error, 2)) : "");
    const words = explorer.what_if?.[chosen - 1];
    fill(body, ...explorer.table.map(({ name, measured }, row) => h("tr", {}, h("th", { scope: "row" }, name),
      h("td.number", {}, measured), h("td.number", {}, words?.predicted[row]))));
    setText(bounds, words ? say("Best within: {}. {}", words.bounds, words.caution) : "");
    const trains = isActive(detail.status?.state ?? detail.run.state);
    restart.hidden = isReadOnly || !trains || detail.status?.rescalable === false;
    restart.disabled = chosen === present;
    setText(restart, say("Restart on {}", replicas(chosen)));
  }

  async function apply(): Promise<void> {
    restart.disabled = true;
    try {
      await control(id, { command: "rescale", replicas: chosen });
      setText(said, say("The supervisor restarts the run."));
    } catch (error) {
      setText(said, (error as Error).message);
    }
    await load();
  }

  async function load(): Promise<void> {
    const mine = ++wanted;
    try {
      const query = chosen > 0 ? `?replicas=${chosen}` : "";
      const [run, answer] = await Promise.all([getRun(id), get<Explorer>(`${runPath(id)}/explorer${query}`)]);
      if (mine !== wanted) return;
      [detail, explorer] = [run, answer];
      failure.hidden = true;
      options.told(run);
      const needsCurve = chosen === 0;
      refresh();
      if (needsCurve) void load();
    } catch (error) {
      if (mine !== wanted) return;
      failure.hidden = false;
      setText(failure, (error as Error).message);
    }
  }

  void about().then((answer) => (isReadOnly = answer.read_only)).finally(() => void load());
  endings.every(2, () => {
    if (detail && isActive(detail.status?.state ?? detail.run.state) && !document.hidden) void load();
  });
  return { element, end: () => endings.end() };
}

function residualText(residual: number): string {
  return `${residual < 0 ? "−" : "+"}${percent(Math.abs(residual), 2)}`;
}
