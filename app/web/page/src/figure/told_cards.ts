// SPDX-License-Identifier: Apache-2.0
// Cards of figures that the server makes, each with a line that says how to read it.
import { fill, h, setAttributes } from "../base/dom";
import { card } from "./card";
import { Figure } from "./figure";
import { figureOf, legendOf, type ToldFigure } from "./told";

const height = 250; // pixels, of a figure

export interface ToldCard {
  name: string;
  title: string;
  unit: string;
  caption: string;
  figure: ToldFigure;
}

/** Each card has its name as `data-figure`. */
export class ToldCards {
  readonly element = h("div.cards.of-two");
  private readonly shown = new Map<string, { figure: Figure; legend: HTMLElement }>();

  show(cards: readonly ToldCard[]): void {
    for (const each of cards) {
      const { figure, legend } = this.shown.get(each.name) ?? this.place(each);
      figure.show(figureOf(each.figure));
      fill(legend, ...(each.figure.isEmpty ? [] : legendOf(each.figure)));
    }
  }

  end(): void {
    for (const { figure } of this.shown.values()) figure.end();
  }

  private place({ name, title, unit, caption }: ToldCard): { figure: Figure; legend: HTMLElement } {
    const figure = new Figure(height);
    const legend = h("span.keys");
    const made = card({ title, note: unit, actions: [legend] }, figure.element, h("p.hint", {}, caption));
    setAttributes(made, { "data-figure": name });
    this.element.append(made);
    this.shown.set(name, { figure, legend });
    return { figure, legend };
  }
}
