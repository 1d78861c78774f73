// SPDX-License-Identifier: Apache-2.0
// Why it scaled, as the window's page of it: cards of figures that the server makes, each with a line that says how to read it.
import * as api from "../base/api";
import { fill, h, setAttributes, setText } from "../base/dom";
import { isRecording } from "../base/recording";
import { pathOf, type Route } from "../base/route";
import { Endings } from "../base/signal";
import { isActive, type RunDetail } from "../base/types";
import { card } from "../figure/card";
import { Figure } from "../figure/figure";
import { figureOf, legendOf, type ToldFigure } from "../figure/told";

const height = 250; // pixels, of a figure
const rest = 5; // seconds between looks at a run that trains

interface ScalingCard {
  name: string;
  title: string;
  unit: string;
  caption: string;
  figure: ToldFigure;
}

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  const failure = h("p.failure", { role: "alert", hidden: true });
  const link = h("a", { href: pathOf("run", route.id) }, route.id);
  const chip = h("span.chip", { role: "status" });
  const host = h("div.cards.of-two");
  const shown = new Map<string, { figure: Figure; legend: HTMLElement }>();
  let detail: RunDetail | undefined;
  let newest = 0; // of the questions that were asked
  root.append(h("div.page.is-full", {},
    h("header.page-head", {}, h("nav", { "aria-label": "Above this page" }, link), h("h1", {}, "Why it scaled"), chip), failure, host));

  function place({ name, title, unit, caption }: ScalingCard): { figure: Figure; legend: HTMLElement } {
    const figure = new Figure(height);
    const legend = h("span.keys");
    endings.add(() => figure.end());
    const made = card({ title, note: unit, actions: [legend] }, figure.element, h("p.hint", {}, caption));
    setAttributes(made, { "data-figure": name });
    host.append(made);
    shown.set(name, { figure, legend });
    return { figure, legend };
  }

  async function load(): Promise<void> {
    const asked = ++newest;
    try {
      const [run, { figures }] = await Promise.all([api.run(route.id), api.get<{ figures: ScalingCard[] }>(`${api.runPath(route.id)}/scaling`)]);
      if (asked < newest) return;
      detail = run;
      failure.hidden = true;
      document.title = `Why ${run.run.name} scaled · BatchScope`;
      setText(link, run.run.name);
      const words = run.status?.shown ?? run.run.shown;
      setText(chip, words.state);
      setAttributes(chip, { "data-tone": words.tone });
      for (const each of figures) {
        const { figure, legend } = shown.get(each.name) ?? place(each);
        figure.show(figureOf(each.figure));
        fill(legend, ...(each.figure.isEmpty ? [] : legendOf(each.figure)));
      }
    } catch (error) {
      if (asked < newest) return;
      failure.hidden = false;
      setText(failure, (error as Error).message);
    }
  }

  void load();
  if (!isRecording) endings.every(rest, () => {
    if (detail && isActive(detail.status?.state ?? detail.run.state) && !document.hidden) void load();
  });
  return () => endings.end();
}
