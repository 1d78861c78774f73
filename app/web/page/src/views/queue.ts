// SPDX-License-Identifier: Apache-2.0
// The queue, as the window's page of it: who has which devices, who waits and why, and who had what when; and what a person
// does about it, where the token allows it.
import { get } from "../base/api";
import { button, fill, h, setText } from "../base/dom";
import { count, duration, timeOfDay } from "../base/format";
import { JobActions } from "../queue/job_actions";
import { Decisions } from "../queue/decisions";
import { dragRows } from "../queue/drag";
import { askForRun } from "../queue/new_run";
import { PoolBar } from "../queue/pool_bar";
import { keepFresh } from "../base/fresh";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Endings } from "../base/signal";
import { Table } from "../base/table";
import { card, totals } from "../figure/card";
import { Figure } from "../figure/figure";
import { canMove, colourOf, hasEnded, type Job, lanes, type Node, poolText, type Queue, runsOf, type TableRow, tableRows } from "../queue/jobs";

const laneHeight = 30;
const mostOver = 20; // jobs that are over, the newest

export function show(root: HTMLElement): () => void {
  const endings = new Endings();
  const failure = h("p.failure", { role: "alert", hidden: true });
  const hang = h("p.failure", { hidden: true }); // what to do about a pool that hangs
  const facts = h("div");
  const lanesHost = h("div");
  let timeline: Figure | undefined;
  const unfolded = new Set<string>(); // names of sweeps
  let present: Queue | undefined;
  let newest = 0; // of the questions that were asked
  let loading: Promise<void> = Promise.resolve(); // the newest question
  const unfold = (sweep: string) => {
    if (!unfolded.delete(sweep)) unfolded.add(sweep);
    if (present) refresh(present);
  };
  const ofJob = (text: (job: Job) => string) => ({ job, fold }: TableRow) => (fold ? "" : text(job));
  const actions = new JobActions(load);
  const pool = new PoolBar(load);
  let isOwn = false; // whether this token may change anything
  const nameOf = (job: Job) => {
    const link = h("a", { href: pathOf("run", job.run) }, job.name);
    if (!isOwn) return link;
    const box = h("input", { type: "checkbox", "aria-label": say("Choose {}", job.name), "data-run": job.run });
    box.addEventListener("change", () => actions.choose(job.run, box.checked));
    return h("span.run-key", {}, h("label.tick", {}, box), link);
  };
  const table = new Table<TableRow>({
    label: say("Queue"),
    key: ({ job, fold }) => (fold ? `sweep ${fold.sweep}` : job.run),
    none: say("Nothing is in the queue. Add a run, or in a terminal: batchscope submit train.py"),
    rowClass: ({ job, fold }) => (!fold && actions.chosen.has(job.run) ? "is-chosen" : ""),
    columns: [
      { title: say("Place"), isNumber: true, cell: ofJob((job) => (job.place === null ? "–" : count(job.place))) },
      { title: say("Run"), cell: ({ job, fold }) => (fold
        ? button(fold.sweep, () => unfold(fold.sweep), { class: "unfold", "aria-expanded": String(unfolded.has(fold.sweep)) })
        : nameOf(job)) },
      { title: say("State"), cell: ({ job }) => h("span.state", { "data-tone": job.shown.tone }, job.shown.state) },
      { title: say("Priority"), isNumber: true, cell: ofJob((job) => (job.priority > 0 ? `+${job.priority}` : String(job.priority).replace("-", "−"))) },
      { title: say("Replicas"), cell: ofJob((job) => job.shown.replicas) },
      { title: say("Devices"), cell: ofJob((job) => job.devices.join(", ") || "–") },
      { title: say("Waited"), isNumber: true, cell: ofJob((job) => duration(job.waited)) },
      { title: say("End"), isNumber: true, cell: ofJob((job) => (job.expected_end === null ? "–" : timeOfDay(job.expected_end))) },
      { title: say("Why"), isWide: true, cell: ({ job, fold }) => fold?.text ?? job.shown.why },
    ],
  });
  const overTable = new Table<Job>({
    label: say("Ended jobs"),
    key: (job) => job.run,
    none: say("None yet."),
    columns: [
      { title: say("Run"), by: (job) => job.name, cell: (job) => h("a", { href: pathOf("run", job.run) }, job.name) },
      { title: say("State"), by: (job) => job.state, cell: (job) => h("span.state", { "data-tone": job.shown.tone }, job.shown.state) },
      { title: say("Submitted"), isNumber: true, by: (job) => job.submitted, cell: (job) => timeOfDay(job.submitted) },
      { title: say("Waited"), isNumber: true, by: (job) => job.waited, cell: (job) => duration(job.waited) },
    ],
  });
  const nodesTable = new Table<Node>({
    label: say("Machines"),
    key: ({ node }) => node ?? "",
    none: say("None."),
    columns: [
      { title: say("Machine"), cell: ({ shown }) => shown.name },
      { title: say("State"), cell: ({ there, shown }) => h("span.state", { "data-tone": there ? "good" : "bad" }, shown.state) },
      { title: say("Runs"), isWide: true, cell: ({ shown }) => shown.runs || "–" },
    ],
  });
  const nodesCard = card({ title: say("Machines"), note: say("whose devices runs share"), isWide: true }, nodesTable.element);
  nodesCard.hidden = true;
  const overCard = card({ title: say("Ended"), note: say("the newest"), isWide: true }, overTable.element);
  overCard.hidden = true;
  const key = h("span.actions");
  const lanesCard = card({ title: say("Devices"), note: say("which run had each of them in the last hour"), actions: [key], isWide: true }, lanesHost);
  const decisions = new Decisions();
  const head = h("header.page-head", {}, h("h1", {}, say("Queue")));
  const verbs = h("span.actions");
  root.append(h("div.page.is-full", {}, head, pool.answer, failure, hang, facts,
    h("div.cards", {}, card({ title: say("Runs"), note: say("in the order of the queue"), actions: [verbs], isWide: true }, table.element, actions.answer), nodesCard, lanesCard, decisions.element, overCard)));
  void serverAbout().then((about) => {
    if (about.read_only) return;
    isOwn = true;
    pool.element.append(button(say("Add a run …"), () => void askForRun((run) => void added(run)), { class: "primary" }));
    head.append(pool.element);
    fill(verbs, ...actions.buttons);
    endings.add(actions.listen());
    if (present) refresh(present);
  });
  // A press on a row chooses it alone.
  table.element.addEventListener("click", (event) => {
    const pressed = event.target as Element;
    if (pressed.closest("a, button, input")) return;
    const run = pressed.closest("tr")?.querySelector<HTMLElement>("[data-run]")?.dataset["run"];
    if (run) actions.chooseOnly(run);
  });
  dragRows(table.element, (run, place) => actions.place(run, place));
  endings.add(actions.chosenChanged.listen(() => {
    if (present) refresh(present);
  }));

  function refresh(queue: Queue): void {
    present = queue;
    const { advice, mean_wait } = queue;
    const jobs = queue.queue.filter((job) => !hasEnded(job));
    const over = queue.queue.filter(hasEnded).sort((a, b) => b.submitted - a.submitted).slice(0, mostOver);
    setText(hang, queue.heartbeat?.hang ?? "");
    hang.hidden = !queue.heartbeat?.hang;
    fill(facts, totals(
      [say("Runs"), count(jobs.length)],
      [say("Waiting"), count(jobs.filter((job) => job.place !== null).length)],
      [say("Mean wait"), duration(mean_wait)],
      [say("Pool"), poolText(queue.pool, queue.heartbeat)]),
      advice && h("p.note", {}, advice));
    const rows = tableRows({ ...queue, queue: jobs }, unfolded);
    actions.show(rows.filter(({ fold }) => !fold).map(({ job }) => job));
    pool.show(queue.pool);
    table.show(rows);
    for (const box of table.element.querySelectorAll<HTMLInputElement>("[data-run]")) {
      const run = box.dataset["run"]!;
      box.checked = actions.chosen.has(run);
      box.closest("tr")!.draggable = jobs.some((job) => job.run === run && canMove(job));
    }
    nodesCard.hidden = !queue.nodes.some(({ node }) => node !== null);
    nodesTable.show(queue.nodes);
    overCard.hidden = over.length === 0;
    overTable.show(over);
    const figure = lanes(queue, Date.now() / 1000);
    const height = laneHeight * Math.max(2, figure.left.names?.length ?? 0) + 40;
    if (timeline?.height !== height) {
      timeline?.end();
      timeline = new Figure(height);
      fill(lanesHost, timeline.element);
    }
    timeline.show(figure);
    fill(key, ...runsOf(queue.leases).map((run, i) => {
      const line = h("i.swatch");
      line.style.background = colourOf(i);
      return h("a.key", { href: pathOf("run", run) }, line, queue.leases.find((lease) => lease.run === run)!.name);
    }));
  }

  async function added(run: string): Promise<void> {
    await load();
    actions.chooseOnly(run);
  }

  // Is over when the newest answer is shown, also where that is of a later question.
  function load(): Promise<void> {
    loading = ask();
    return loading;
  }

  async function ask(): Promise<void> {
    const asked = ++newest;
    try {
      const [queue] = await Promise.all([get<Queue>("/api/queue"), decisions.load()]);
      if (asked < newest) return loading;
      refresh(queue);
      failure.hidden = true;
    } catch (error) {
      failure.hidden = false;
      setText(failure, (error as Error).message);
    }
  }
  endings.add(keepFresh(["queue", "runs"], load));
  endings.add(() => timeline?.end());
  return () => endings.end();
}
