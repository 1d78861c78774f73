// SPDX-License-Identifier: Apache-2.0
// The output of a replica, from its end on, and as it prints more.
import { get, run as getRun, runPath } from "../base/api";
import { button, fill, h, setAttributes, setText } from "../base/dom";
import { bytes, replicas } from "../base/format";
import { pathOf, type Route, setQuery } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { isActive, type RunDetail } from "../base/types";
import { card } from "../figure/card";
import { LogBlocks } from "../records/log_blocks";
import { logPath } from "../run/download";

interface LogPart {
  text: string;
  next: number; // where the text ends, in bytes
  size: number; // of the file
}

const most = 1_000_000; // characters that are kept
const part = 65536; // bytes that the server answers at most

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  const stopped = new AbortController();
  endings.add(() => stopped.abort());
  let detail: RunDetail | undefined;
  let begin = 0; // bytes: what is kept goes from here
  let next = 0; // to here
  let asking = false;

  const failure = h("p.failure", { role: "alert", hidden: true });
  const title = h("h1", {}, say("Log"));
  const link = h("a", { href: pathOf("run", route.id) }, route.id);
  const generation = h("select", { "aria-label": say("Generation") });
  const rank = h("select", { "aria-label": say("Replica") });
  const follow = h("input", { type: "checkbox", checked: true });
  follow.checked = true;
  const earlier = button(say("Earlier output"), () => void readEarlier());
  earlier.hidden = true;
  const output = h("pre.log", { tabindex: 0, role: "log", "aria-live": "off", "aria-label": say("What the replica printed") });
  const blocks = new LogBlocks(output, most);
  const note = h("span");
  const save = h("a.button", { download: true, title: say("Keep the whole log as a text file") }, say("Save"));
  root.append(h("div.page.is-full", {},
    h("header.page-head", {}, h("nav", { "aria-label": say("Above this page") }, link), title),
    failure,
    card({ title: say("Output"), note, actions: [generation, rank, save, h("label.check", {}, follow, say("Follow"))], isWide: true }, earlier, output)));

  for (const select of [generation, rank]) {
    select.addEventListener("change", () => {
      if (select === generation) offerRanks();
      setQuery({ generation: generation.value, rank: rank.value });
      void begins();
    });
  }
  // A person who scrolls up wants to read, and one who comes back to the end wants to follow.
  output.addEventListener("scroll", () => {
    follow.checked = output.scrollTop + output.clientHeight >= output.scrollHeight - 24;
  });
  follow.addEventListener("change", toEnd);

  function toEnd(): void {
    if (follow.checked) output.scrollTop = output.scrollHeight;
  }

  function offer(select: HTMLSelectElement, values: number[], name: (value: number) => string, wanted: number): void {
    const chosen = values.includes(wanted) ? wanted : (values[values.length - 1] ?? 0);
    fill(select, ...values.map((value) => h("option", { value, selected: value === chosen }, name(value))));
    select.value = String(chosen);
  }

  function offerRanks(): void {
    const { replicas: all } = detail!.generations.find((each) => String(each.number) === generation.value) ?? { replicas: 1 };
    const before = Number(rank.value || route.query.get("rank") || 0);
    offer(rank, Array.from({ length: all }, (_, i) => i), (each) => say("replica {}", each), before < all ? before : 0);
  }

  const read = (from: number) =>
    get<LogPart>(`${runPath(route.id)}/log?rank=${rank.value}&generation=${generation.value}&from=${from}`, stopped.signal);

  function put(): void {
    if (blocks.isEmpty) setText(output, say("The replica has printed nothing."));
    earlier.hidden = begin === 0;
    setText(note, `${replicas(Number(rank.childElementCount))}, ${bytes(next)}`);
    toEnd();
  }

  async function begins(): Promise<void> {
    blocks.clear();
    setAttributes(save, { href: logPath(route.id, generation.value, rank.value) });
    await tried(async () => {
      const { size } = await read(Number.MAX_SAFE_INTEGER);
      begin = next = Math.max(0, size - part);
      follow.checked = true;
      await readOn();
    });
    put();
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const answer = await read(next);
      const isMore = answer.text !== "";
      next = answer.next;
      if (isMore) {
        if (blocks.isEmpty) blocks.clear(); // of the words that there is nothing
        begin += new TextEncoder().encode(blocks.append(answer.text)).length;
        put();
      }
      if (!isMore || next >= answer.size) return;
    }
  }

  async function readEarlier(): Promise<void> {
    await tried(async () => {
      const from = Math.max(0, begin - part);
      const answer = await read(from);
      const fresh = new TextEncoder().encode(answer.text).slice(0, begin - from);
      const before = output.scrollHeight;
      follow.checked = false;
      blocks.prepend(new TextDecoder().decode(fresh));
      begin = from;
      put();
      output.scrollTop += output.scrollHeight - before;
    });
  }

  async function tried(act: () => Promise<void>): Promise<void> {
    if (asking) return;
    asking = true;
    try {
      await act();
      failure.hidden = true;
    } catch (error) {
      if (stopped.signal.aborted) return;
      failure.hidden = false;
      setText(failure, (error as Error).message);
    } finally {
      asking = false;
    }
  }

  async function load(): Promise<void> {
    await tried(async () => {
      detail = await getRun(route.id, stopped.signal);
    });
    if (!detail) return;
    document.title = `${say("Log of {}", detail.run.name)} · BatchScope`;
    setText(link, detail.run.name);
    const numbers = detail.generations.map((each) => each.number);
    const known = generation.childElementCount;
    if (numbers.length === known) return;
    const wanted = known > 0 ? Number(generation.value) : Number(route.query.get("generation") ?? NaN);
    const isLast = known > 0 && wanted === numbers[known - 1];
    offer(generation, numbers, (each) => say("generation {}", each), isLast && follow.checked ? NaN : wanted);
    offerRanks();
    await begins();
  }

  void load();
  endings.every(1, () => {
    if (!detail || document.hidden) return;
    void tried(readOn);
    if (isActive(detail.status?.state ?? detail.run.state)) void load();
  });
  return () => endings.end();
}
