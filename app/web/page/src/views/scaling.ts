// SPDX-License-Identifier: Apache-2.0
// Why it scaled, as the window's page of it: cards of figures that the server makes.
import * as api from "../base/api";
import { h, setText } from "../base/dom";
import { isRecording } from "../base/recording";
import type { Route } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { isActive, type RunDetail } from "../base/types";
import { type ToldCard, ToldCards } from "../figure/told_cards";
import { runHead } from "./run_head";

const rest = 5; // seconds between looks at a run that trains

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  const failure = h("p.failure", { role: "alert", hidden: true });
  const head = runHead(route.id, say("Why it scaled"));
  const cards = new ToldCards();
  let detail: RunDetail | undefined;
  let newest = 0; // of the questions that were asked
  root.append(h("div.page.is-full", {}, head.element, failure, cards.element));

  async function load(): Promise<void> {
    const asked = ++newest;
    try {
      const [run, { figures }] = await Promise.all([api.run(route.id), api.get<{ figures: ToldCard[] }>(`${api.runPath(route.id)}/scaling`)]);
      if (asked < newest) return;
      detail = run;
      failure.hidden = true;
      head.show(run, say("Why {} scaled", run.run.name));
      cards.show(figures);
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
  endings.add(() => cards.end());
  return () => endings.end();
}
