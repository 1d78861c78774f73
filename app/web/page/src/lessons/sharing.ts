// SPDX-License-Identifier: Apache-2.0
// Two runs that share devices, as a lesson shows them: a person moves the split, and sees the goodput of each run, their sum,
// and which run is better off than with half of the devices. The server makes the figure and the words of each split.
import { get } from "../base/api";
import { around, button, fill, h, setAttributes, setText } from "../base/dom";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { card } from "../figure/card";
import { Figure } from "../figure/figure";
import { figureOf, legendOf, type ToldFigure } from "../figure/told";

const height = 300; // pixels

interface Sharing {
  names: [string, string];
  choices: { name: string; meaning: string; first: number }[];
  splits: { figure: ToldFigure; rows: string[][] }[]; // by the devices of the first; of it, the second and both: devices, goodput, speed-up
}

/** `runs`: the ids of both. Throws what the server refuses. */
export async function sharingPanel(runs: readonly [string, string], devices: number): Promise<{ element: HTMLElement; end: () => void }> {
  const sharing = await get<Sharing>(`/api/sharing?runs=${runs.map(encodeURIComponent).join()}&devices=${devices}`);
  const names = [...sharing.names, say("Both")];
  const figure = new Figure(height);
  const keys = h("span.keys");
  const slider = h("input", { type: "range", min: 0, max: devices, step: 1, value: devices / 2, "aria-label": say("Devices of {}", names[0]!) });
  const counts = [h("span.dim"), h("span.dim")];
  const cells = names.map(() => [h("td.number"), h("td.number"), h("td.number")]);
  const choices = sharing.choices.map(({ name, meaning, first }) => button(name, () => choose(first), { title: meaning }));
  const heads = ["", say("Devices"), say("Goodput, samples/s"), say("Against half of the devices")];
  const table = h("table", { "aria-label": say("What each run has of the split") },
    h("thead", {}, h("tr", {}, ...heads.map((head, i) => (i === 0 ? h("td") : h("th.number", { scope: "col" }, head))))),
    h("tbody", {}, ...names.map((name, row) => h("tr", {}, h("th", { scope: "row" }, name), ...cells[row]!))));

  function show(): void {
    const first = slider.valueAsNumber;
    const { figure: told, rows } = sharing.splits[first]!;
    figure.show(figureOf(told));
    fill(keys, ...legendOf(told));
    rows.forEach((row, i) => row.forEach((text, column) => setText(cells[i]![column]!, text)));
    counts.forEach((count, i) => setText(count, `${names[i]!}: ${rows[i]![0]!}`));
    setAttributes(slider, { "aria-valuetext": counts.map((count) => count.textContent).join(", ") });
    choices.forEach((choice, i) => setAttributes(choice, { "aria-pressed": String(sharing.choices[i]!.first === first) }));
  }

  function choose(first: number): void {
    slider.value = String(first);
    show();
  }

  slider.addEventListener("input", show);
  figure.letDrag((first) => choose(Math.round(first)));
  show();
  const link = (i: 0 | 1) => h("a", { href: pathOf("run", runs[i]) }, sharing.names[i]);
  return {
    element: h("div.sharing", {},
      h("header.lesson-head", {}, h("h2", {}, ...around(say("Recorded runs: {}, {}"), link(0), link(1)))),
      card({ title: say("{} devices", devices), note: say("goodput, samples/s"), actions: [keys], isWide: true },
        h("div.split", {}, counts[0]!, slider, counts[1]!), figure.element),
      card({ title: say("The split"), isWide: true, actions: [h("span.dim", {}, say("Split as")), ...choices] }, h("div.scroll", { tabindex: 0, role: "group", "aria-label": say("The split") }, table))),
    end: () => figure.end(),
  };
}
