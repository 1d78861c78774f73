// SPDX-License-Identifier: Apache-2.0
// The recorded run beside the text of a lesson: its charts, the explorer or why it scaled, looked at as the lesson wants it,
// with a frame around what the text speaks of.
import * as api from "../base/api";
import { around, fill, h, setText } from "../base/dom";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import type { ChartSpec, LessonStage } from "../base/types";
import { ViewState } from "../chart/view_state";
import { sharingPanel } from "../lessons/sharing";
import { explorerPanel } from "../explorer/panel";
import { type ToldCard, ToldCards } from "../figure/told_cards";
import { Dashboard } from "../run/dashboard";
import { RunSession } from "../run/session";
import { viewControls } from "../run/view_controls";
import { Records } from "./records";

const explorerCards = ["curve", "what-if"]; // that a lesson points at; anything else there is a series of a chart
const explorerCharts = ["rules", "noise"]; // that the window's explorer has beside its cards
const wide = "(min-width: 900px)"; // where the text stays in sight beside what is scrolled

const draws = (spec: ChartSpec, series: string) => spec.lines.some((line) => line.series === series);

// The chart that a lesson means by a series: one that is shown anyway before others.
const meant = (series: string, charts: readonly ChartSpec[]) =>
  charts.find((spec) => spec.isUsual && draws(spec, series)) ?? charts.find((spec) => draws(spec, series));

function viewOf({ axis, zoom, smoothing, log_x, log_y }: LessonStage): ViewState {
  const query = new URLSearchParams();
  if (axis !== undefined) query.set("x", axis);
  if (zoom !== undefined) query.set("from", String(zoom[0])), query.set("to", String(zoom[1]));
  if (smoothing !== undefined) query.set("smooth", String(smoothing));
  if (log_x) query.set("logx", "1");
  if (log_y !== undefined) query.set("y", log_y ? "log" : "linear");
  return new ViewState(query, false);
}

class Stage {
  readonly element = h("section.lesson-stage", { "aria-label": say("The recorded run") });
  readonly endings = new Endings();
  private readonly name: HTMLElement;
  private readonly failure = h("p.failure", { role: "alert", hidden: true });
  private readonly body = h("div.lesson-shown");

  constructor(private readonly stage: LessonStage, private readonly id: string) {
    this.name = h("a", { href: pathOf("run", id) }, "");
    this.element.append(h("header.lesson-head", {}, h("h2", {}, ...around(say("Recorded run: {}"), this.name))), this.failure, this.body);
    const isAboutChart = stage.show === "explorer" && stage.highlight !== undefined && !explorerCards.includes(stage.highlight);
    if (stage.show === "why") void this.showWhy();
    else if (stage.show === "explorer") this.showExplorer(isAboutChart);
    else this.showCharts((spec, all) => spec.isUsual === true || spec === meant(stage.highlight ?? "", all));
  }

  private fail(message: string): void {
    this.failure.hidden = false;
    setText(this.failure, message);
  }

  private point(selector: string): void {
    const pointed = this.element.querySelector(selector);
    if (pointed === null || pointed.classList.contains("is-pointed")) return;
    pointed.classList.add("is-pointed");
    if (matchMedia(wide).matches) pointed.scrollIntoView({ block: "center" }); // what comes above and in it may still grow
  }

  private showCharts(isFirst: (spec: ChartSpec, all: readonly ChartSpec[]) => boolean): void {
    const view = viewOf(this.stage);
    const session = new RunSession(this.id, view);
    const dashboard = new Dashboard(session, isFirst);
    const controls = viewControls(view);
    this.body.append(controls.element, dashboard.element);
    const records = this.stage.panel && new Records(this.id);
    if (records) this.body.append(records.element);
    session.failed.listen((message) => this.fail(message));
    session.detailChanged.listen(() => {
      const { detail } = session;
      if (detail === null) return;
      setText(this.name, detail.run.name);
      if (records) records.show(detail, this.stage.panel);
      const chart = meant(this.stage.highlight ?? "", dashboard.shown);
      if (chart) this.point(`figure.chart[data-chart="${CSS.escape(chart.name)}"]`);
    });
    // Where the cross-hair belongs is known on this axis alone.
    if (this.stage.cursor !== undefined && view.axis === "step") {
      const at = this.stage.cursor;
      const stop = session.samples.changed.listen(() => {
        stop();
        view.point(at);
      });
    }
    this.endings.add(() => session.end(), () => dashboard.end(), () => controls.end());
    session.start();
  }

  private showExplorer(hasCharts: boolean): void {
    if (hasCharts) this.showCharts((spec) => explorerCharts.includes(spec.name));
    const panel = explorerPanel(this.id, {
      replicas: this.stage.replicas ?? 0,
      told: ({ run }) => {
        setText(this.name, run.name);
        if (!hasCharts && this.stage.highlight) this.point(`[data-figure="${CSS.escape(this.stage.highlight)}"]`);
      },
      chosen: () => {},
    });
    this.body.append(panel.element);
    this.endings.add(panel.end);
  }

  private async showWhy(): Promise<void> {
    const cards = new ToldCards();
    this.body.append(cards.element);
    this.endings.add(() => cards.end());
    try {
      const [{ run }, { figures }] = await Promise.all([api.run(this.id), api.get<{ figures: ToldCard[] }>(`${api.runPath(this.id)}/scaling`)]);
      setText(this.name, run.name);
      cards.show(figures);
      if (this.stage.highlight) this.point(`[data-figure="${CSS.escape(this.stage.highlight)}"]`);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }
}

// Two recorded runs that share devices, in the place of the charts of one.
function sharingStage(runs: readonly [string, string], devices: number): { element: HTMLElement; end: () => void } {
  const element = h("section.lesson-stage", { "aria-label": say("The recorded runs") });
  let end: (() => void) | null = () => {};
  sharingPanel(runs, devices).then((panel) => {
    if (end === null) return panel.end();
    end = panel.end;
    fill(element, panel.element);
  }, (error: Error) => fill(element, h("p.failure", { role: "alert" }, error.message)));
  return {
    element,
    end: () => {
      end?.();
      end = null;
    },
  };
}

/** `runs`: the ids of the recorded runs. */
export function lessonStage(stage: LessonStage, runs: Record<string, string | null>): { element: HTMLElement; end: () => void } {
  const id = runs[stage.run ?? ""];
  const [first, second] = [runs[stage.share?.first ?? ""], runs[stage.share?.second ?? ""]];
  if (stage.share && first && second) return sharingStage([first, second], stage.share.devices);
  if (id && !stage.share) {
    const shown = new Stage(stage, id);
    return { element: shown.element, end: () => shown.endings.end() };
  }
  const element = h("section.lesson-stage", { "aria-label": say("The recorded run") });
  fill(element, h("p.missing", {}, say("The recorded run of this page is not in the store yet, and this token may not take it in. Ask the owner to open the lesson once.")));
  return { element, end: () => {} };
}
