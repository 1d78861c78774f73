// SPDX-License-Identifier: Apache-2.0
// The sweeps of the store, the newest first.
import { get } from "../base/api";
import { button, h, setText } from "../base/dom";
import { count, timeOfDay } from "../base/format";
import { keepFresh } from "../base/fresh";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Endings } from "../base/signal";
import { Table } from "../base/table";
import { card } from "../figure/card";
import { askForSweep } from "../sweep/new_sweep";
import { numeric, type Sweep } from "../sweep/trials";

type Row = Sweep["sweep"];

export function show(root: HTMLElement): () => void {
  const endings = new Endings();
  const failure = h("p.failure", { role: "alert", hidden: true });
  const table = new Table<Row>({
    label: say("Sweeps"),
    key: (sweep) => sweep.name,
    none: say("No sweep yet. Begin one, or in a terminal: batchscope sweep new --example > my.toml; batchscope sweep run my.toml"),
    sort: { column: 6, isDown: true },
    columns: [
      { title: say("Sweep"), by: (sweep) => sweep.name, cell: (sweep) => h("a", { href: pathOf("sweep", sweep.name) }, sweep.name) },
      { title: say("State"), by: ({ shown }) => shown.state, cell: ({ shown }) => h("span.state", { "data-tone": shown.tone }, shown.state) },
      { title: say("Trials"), isNumber: true, by: (sweep) => sweep.trials.done, cell: ({ shown }) => shown.done },
      { title: say("Metric"), by: (sweep) => sweep.metric, cell: ({ metric, goal }) => (goal === "max" ? say("{}, largest", metric) : say("{}, smallest", metric)) },
      { title: say("Best"), isNumber: true, by: (sweep) => numeric(sweep.best?.value), cell: ({ shown }) => shown.best },
      { title: say("Best trial"), isNumber: true, cell: (sweep) => (sweep.best ? count(sweep.best.trial) : "–") },
      { title: say("Begun"), isNumber: true, by: (sweep) => sweep.created, cell: (sweep) => timeOfDay(sweep.created) },
    ],
  });
  const begin = button(say("Begin a sweep …"), () => void askForSweep((sweep) => go(pathOf("sweep", sweep))), { class: "primary", hidden: true });
  void serverAbout().then((about) => (begin.hidden = about.read_only));
  root.append(h("div.page.is-full", {}, h("header.page-head", {}, h("h1", {}, say("Sweeps")), h("span.actions.verbs", {}, begin)), failure, card({ title: say("All sweeps"), isWide: true }, table.element)));

  async function load(): Promise<void> {
    try {
      table.show((await get<{ sweeps: Row[] }>("/api/sweeps")).sweeps);
      failure.hidden = true;
    } catch (error) {
      failure.hidden = false;
      setText(failure, (error as Error).message);
    }
  }
  endings.add(keepFresh(["sweeps"], load));
  return () => endings.end();
}
