// SPDX-License-Identifier: Apache-2.0
// The charts of a run, side by side. Those that a person has chosen are in the address; else the usual ones are there.
import { h, Keyed } from "../base/dom";
import { here, setQuery } from "../base/route";
import { say } from "../base/say";
import { Endings, Signal } from "../base/signal";
import type { ChartSpec } from "../base/types";
import { Chart } from "../chart/chart";
import { bandsOf, emptyText, lineOf } from "./lines";
import type { RunSession } from "./session";

export class Dashboard {
  readonly element = h("section.dashboard", { "aria-label": say("Charts") });
  readonly chosen = new Signal();
  available: ChartSpec[] = [];
  shown: ChartSpec[] = [];
  private readonly charts = new Map<string, Chart>();
  private readonly cards: Keyed<ChartSpec, HTMLElement>;
  private readonly endings = new Endings();
  private choice: string[] | null;

  /** `isFirst`: which charts there are at first, where that is not for the address to say. */
  constructor(private readonly session: RunSession, private readonly isFirst?: (spec: ChartSpec, all: readonly ChartSpec[]) => boolean) {
    this.choice = isFirst ? null : here().query.get("charts")?.split(",") ?? null;
    this.cards = new Keyed(this.element, (spec) => spec.name, (spec) => this.make(spec), () => {});
    this.endings.add(
      session.detailChanged.listen(() => this.choose()),
      session.samples.changed.listen(() => this.draw()),
    );
    const sizes = new ResizeObserver(() => this.want());
    sizes.observe(this.element);
    this.endings.add(() => sizes.disconnect());
  }

  end(): void {
    this.endings.end();
    for (const chart of this.charts.values()) chart.end();
  }

  /** Shows a chart, or puts it away. */
  toggle(name: string): void {
    const names = this.shown.map((spec) => spec.name);
    const wanted = names.includes(name) ? names.filter((each) => each !== name)
      : this.available.map((spec) => spec.name).filter((each) => each === name || names.includes(each));
    const usual = this.available.filter((spec) => spec.isUsual).map((spec) => spec.name);
    this.choice = wanted.join() === usual.join() ? null : wanted;
    setQuery({ charts: this.choice?.join(",") ?? null });
    this.choose();
  }

  private choose(): void {
    this.available = this.session.detail?.charts ?? [];
    const isFirst = this.isFirst ?? ((spec: ChartSpec) => spec.isUsual);
    this.shown = this.available.filter((spec) => this.choice?.includes(spec.name) ?? isFirst(spec, this.available));
    for (const [name, chart] of this.charts) {
      const spec = this.shown.find((each) => each.name === name);
      // One whose lines have become more, such as that of another replica's device, is made anew.
      if (spec && spec.lines.length === this.specs.get(name)?.lines.length) continue;
      chart.end();
      chart.element.remove();
      this.charts.delete(name);
    }
    this.specs = new Map(this.shown.map((spec) => [spec.name, spec]));
    this.cards.set(this.shown.map((spec) => ({ ...spec, name: spec.name })));
    this.want();
    this.draw();
    this.chosen.emit();
  }

  private specs = new Map<string, ChartSpec>();

  private make(spec: ChartSpec): HTMLElement {
    const chart = new Chart(spec, this.session.view);
    this.charts.set(spec.name, chart);
    return chart.element;
  }

  private series(): string[] {
    return this.shown.flatMap((spec) => spec.lines.flatMap((line) => [line.series, ...(line.band ?? [])]));
  }

  private want(): void {
    const first = this.element.querySelector<HTMLElement>(".plot");
    if (first === null) return;
    const { series = [], readout = [] } = this.session.detail ?? {};
    const known = new Set(["step", ...series.map(({ name }) => name)]);
    const readOut = readout.flatMap((row) => [row.series, row.bound ?? "step"]);
    const wanted = [...this.series(), "step", ...readOut].filter((name) => known.has(name));
    const log = this.shown.filter((spec) => spec.isLogLog).flatMap((spec) => spec.lines.map((line) => line.series));
    this.session.samples.want(wanted, first.clientWidth * devicePixelRatio, log);
  }

  private draw(): void {
    const read = (name: string) => this.session.samples.pieces(name);
    const bands = bandsOf(this.series(), read, this.session.detail?.generations ?? []);
    const { detail, state, status } = this.session;
    const isKnown = detail !== null && state !== null && this.session.samples.isKnown;
    const none = isKnown ? emptyText(state, status?.step ?? detail.run.step) : "";
    for (const spec of this.shown) {
      this.charts.get(spec.name)?.setLines(spec.lines.map((line) => lineOf(line, read)), bands, none);
    }
  }
}
