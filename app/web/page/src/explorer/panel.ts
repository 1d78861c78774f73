// SPDX-License-Identifier: Apache-2.0
// The goodput explorer: what any number of replicas would bring, beside what is measured now, and the button that does it.
import { about, control, get, run as getRun, runPath } from "../base/api";
import { button, fill, h, setAttributes, setText } from "../base/dom";
import { count, number, percent, replicas } from "../base/format";
import { Endings } from "../base/signal";
import { Table } from "../base/table";
import { isActive, type RunDetail } from "../base/types";
import { batchFigure, type Explorer, legend, type MeasuredStep, type PredictedRestart, replicasFigure, stepTimeFigure } from "./what_if";
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
  const slider = h("input", { type: "range", min: 1, max: 8, step: 1, "aria-label": "Number of replicas" });
  const howMany = h("output.how-many");
  const bounds = h("p.hint");
  const error = h("span");
  const restart = button("Restart", () => void apply());
  restart.hidden = true;
  const said = h("p.hint", { role: "status" });
  const body = h("tbody");
  const whatIf = h("table.what-if", { "aria-label": "Measured and predicted" },
    h("thead", {}, h("tr", {}, h("td"), h("th.number", { scope: "col" }, "measured now"), h("th.number", { scope: "col" }, "predicted"))), body);
  const stepTimes = new Table<MeasuredStep>({
    label: "Measured and predicted step times",
    key: (each) => `${each.replicas} ${each.local_batch_size} ${each.accumulation}`,
    none: "No step time has been measured yet.",
    columns: [
      { title: "Replicas", isNumber: true, by: (each) => each.replicas, cell: (each) => `×${each.replicas}` },
      { title: "Local", isNumber: true, by: (each) => each.local_batch_size, cell: (each) => count(each.local_batch_size) },
      { title: "Accumulated", isNumber: true, by: (each) => each.accumulation, cell: (each) => count(each.accumulation) },
      { title: "Steps", isNumber: true, by: (each) => each.steps, cell: (each) => count(each.steps) },
      { title: "Measured, ms", isNumber: true, by: (each) => each.measured, cell: (each) => number(1000 * each.measured) },
      { title: "Predicted, ms", isNumber: true, by: (each) => each.predicted, cell: (each) => number(1000 * each.predicted) },
      { title: "Residual", isNumber: true, by: (each) => Math.abs(each.residual), cell: (each) => residualText(each.residual) },
    ],
  });
  const record = h("span");
  const predictions = new Table<PredictedRestart>({
    label: "Restarts: predicted and obtained",
    key: (each) => String(each.generation),
    none: "No restart has been predicted yet.",
    columns: [
      { title: "Restart", isNumber: true, by: (each) => each.generation, cell: (each) => count(each.generation) },
      { title: "Replicas", isNumber: true, by: (each) => each.replicas, cell: (each) => `×${each.replicas}` },
      { title: "Rate, in samples/s", by: (each) => each.what, cell: (each) => each.what },
      { title: "Predicted", isNumber: true, by: (each) => each.predicted, cell: (each) => `≈ ${each.shown.predicted}` },
      { title: "Expected", isNumber: true, cell: (each) => each.shown.expected },
      { title: "Obtained", isNumber: true, by: (each) => each.obtained ?? NaN, cell: (each) => each.shown.obtained },
      { title: "Off by", isNumber: true, by: (each) => Math.abs(each.change ?? NaN), cell: (each) => each.shown.change + (each.held === false ? ", unexpected" : "") },
    ],
  });
  const lines = () => legend.map(([name, colour]) => {
    const line = h("i.swatch");
    line.style.background = colour;
    return h("span.key", {}, line, name);
  });
  const curve = card({ title: "Goodput over replicas", actions: lines() }, overReplicas.element);
  const overBatchCard = card({ title: "Goodput over batch size", actions: lines() }, overBatch.element);
  const whatIfCard = card({ title: "What if", actions: [howMany] }, slider, h("div.scroll", {}, whatIf), bounds, h("div.act", {}, said, restart));
  setAttributes(overBatchCard, { "data-figure": "curve" });
  setAttributes(whatIfCard, { "data-figure": "what-if" });
  const element = h("div", {}, failure,
    h("div.cards.of-two", {}, curve, whatIfCard, overBatchCard,
      card({ title: "Measured and predicted step time", note: error }, times.element, stepTimes.element),
      card({ title: "Predicted and obtained by restarts", note: record }, predictions.element)));

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
    setText(error, typeof explorer.mean_error === "number" ? `mean error ${percent(explorer.mean_error, 2)}` : "");
    const words = explorer.what_if?.[chosen - 1];
    fill(body, ...explorer.table.map(({ name, measured }, row) => h("tr", {}, h("th", { scope: "row" }, name),
      h("td.number", {}, measured), h("td.number", {}, words?.predicted[row]))));
    setText(bounds, words ? `Best within: ${words.bounds}. ${words.caution}` : "");
    const trains = isActive(detail.status?.state ?? detail.run.state);
    restart.hidden = isReadOnly || !trains || detail.status?.rescalable === false;
    restart.disabled = chosen === present;
    setText(restart, `Restart on ${replicas(chosen)}`);
  }

  async function apply(): Promise<void> {
    restart.disabled = true;
    try {
      await control(id, { command: "rescale", replicas: chosen });
      setText(said, "The supervisor restarts the run.");
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
