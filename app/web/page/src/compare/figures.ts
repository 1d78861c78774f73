// SPDX-License-Identifier: Apache-2.0
// Why the compared runs scaled: the figures of accuracy against its cost, with a line for each run, as the server makes them.
import { get } from "../base/api";
import { h, setText } from "../base/dom";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { isActive } from "../base/types";
import { type ToldCard, ToldCards } from "../figure/told_cards";
import type { Compared } from "./compared";

const rest = 5; // seconds between looks at runs that train

export class ComparedFigures {
  readonly element: HTMLElement;
  private readonly cards = new ToldCards();
  private readonly failure = h("p.failure", { role: "alert", hidden: true });
  private readonly endings = new Endings();
  private shown = ""; // ids of the runs whose figures were asked for last
  private newest = 0; // of the questions that were asked

  constructor(private readonly compared: Compared) {
    this.element = h("section.compared-figures", { hidden: true, "aria-label": say("Why they scaled") },
      h("h2", {}, say("Why they scaled")), this.failure, this.cards.element);
    this.endings.add(compared.changed.listen(() => {
      if (this.ids !== this.shown) void this.load();
    }), () => this.cards.end());
    this.endings.every(rest, () => {
      if (!document.hidden && compared.runs.some((run) => run.state !== null && isActive(run.state))) void this.load();
    });
  }

  end(): void {
    ++this.newest;
    this.endings.end();
  }

  // Names all runs once each has been asked for, and until then those that are shown.
  private get ids(): string {
    const { runs } = this.compared;
    return runs.every((run) => run.detail !== null || run.failure !== "") ? runs.map((run) => run.id).join() : this.shown;
  }

  private async load(): Promise<void> {
    this.shown = this.ids;
    this.element.hidden = this.shown === "";
    const asked = ++this.newest;
    if (this.shown === "") return;
    try {
      const { figures } = await get<{ figures: ToldCard[] }>(`/api/scaling?runs=${this.shown.split(",").map(encodeURIComponent).join()}`);
      if (asked < this.newest) return;
      this.failure.hidden = true;
      this.cards.show(figures);
    } catch (error) {
      if (asked < this.newest) return;
      this.failure.hidden = false;
      setText(this.failure, (error as Error).message);
    }
  }
}
