// SPDX-License-Identifier: Apache-2.0
// The runs in the trash, the last that was moved there first. Each is restored by a button; none is deleted from here.
import * as api from "../base/api";
import { button, h, Keyed, setAttributes, setText } from "../base/dom";
import { count, timeOfDay } from "../base/format";
import { keepFresh } from "../base/fresh";
import { tell } from "../base/notice";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Endings } from "../base/signal";
import type { RemovedRun } from "../base/types";
import { whereOf } from "../runs/search";

export function show(root: HTMLElement): () => void {
  document.title = `${say("Trash")} · BatchScope`;
  const endings = new Endings();
  const failure = h("p.failure", { role: "alert", hidden: true });
  const note = h("p.empty");
  const filter = h("input", { type: "search", placeholder: say("Find runs"), "aria-label": say("Find runs"), spellcheck: "false", autocomplete: "off" });
  filter.addEventListener("input", () => void load());
  const list = h("ul.runs", { "aria-label": say("Removed runs") });
  let mayRestore = false;
  let newest = 0; // of the questions that were asked

  const rows = new Keyed<RemovedRun, HTMLElement>(list, (run) => run.id,
    (run) => h("li", {}, h("div.run-row", {}, ...["dot", "run-name", "run-replicas", "run-detail", "run-goodput"].map((name) => h(`span.${name}`))),
      mayRestore && button(say("Restore"), () => void restore(run), { "aria-label": say("Restore {}", run.name || run.id) })),
    (row, run) => {
      const { shown } = run;
      const set = (name: string, text: string) => setText(row.querySelector(`.${name}`)!, text);
      set("run-name", run.name || run.id);
      set("run-replicas", shown.badge);
      set("run-detail", [shown.detail, run.id].filter(Boolean).join(" · "));
      set("run-goodput", say("removed {}", timeOfDay(run.removed)));
      setAttributes(row.firstElementChild!, { "data-tone": shown.tone, title: shown.state });
    });
  root.append(h("div.page", {},
    h("header.page-head", {}, h("nav", { "aria-label": say("Above this page") }, h("a", { href: pathOf("runs") }, say("Runs"))), h("h1", {}, say("Trash"))),
    failure, h("section.run-list.is-trash", { "data-wide": true, "aria-label": say("Trash") }, h("div.list-head", {}, filter), list, note)));

  async function restore(run: RemovedRun): Promise<void> {
    await attempt(async () => {
      await api.trash(run.id, false);
      tell(say("Restored {}.", run.name || run.id), async () => void (await api.trash(run.id, true)));
    });
    await load();
  }

  async function load(): Promise<void> {
    const asked = ++newest;
    await attempt(async () => {
      const [about, { runs, total, days }] = await Promise.all([serverAbout(), api.removedRuns(whereOf(filter.value))]);
      if (asked < newest) return;
      mayRestore = !about.read_only;
      rows.set(runs);
      list.hidden = runs.length === 0;
      const fate = say("A run stays whole here until it is restored; after {} days batchscope gc deletes it.", days);
      setText(note, total === 0 ? (filter.value.trim() === "" ? say("The trash is empty.") : say("No run matches."))
        : runs.length < total ? `${say("The newest {} of {}.", count(runs.length), count(total))} ${fate}` : fate);
      failure.hidden = true;
    });
  }

  async function attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      failure.hidden = false;
      setText(failure, (error as Error).message);
    }
  }

  endings.add(keepFresh(["runs"], load));
  return () => endings.end();
}
