// SPDX-License-Identifier: Apache-2.0
// Samples that are asked for and samples that stream in become one record of the run, in whichever order they
// come.
import assert from "node:assert/strict";
import test from "node:test";
import type { Row, Samples } from "../../../../app/web/page/src/base/types";
import type { Piece } from "../../../../app/web/page/src/chart/piece";
import { ViewState } from "../../../../app/web/page/src/chart/view_state";
import { SampleStore } from "../../../../app/web/page/src/run/samples";

// The address, into which the view writes what is shown.
Object.assign(globalThis, { location: { pathname: "/run/3f9a", search: "" }, history: { state: null, replaceState: () => {} } });

const row = (step: number, generation = 0): Row => ({ generation, step, x: { time: step / 10, progress: step }, values: { loss: step } });
const rows = (from: number, to: number, generation = 0) =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i, generation));

/** A server that has the steps from 1 to `last`, each in a bucket of its own, and answers when it is told to. */
class Server {
  readonly asked: URLSearchParams[] = [];
  private answers: (() => void)[] = [];

  constructor(public last: number) {
    globalThis.fetch = ((path: string) => new Promise((resolve) => {
      const query = new URL(path, "http://localhost").searchParams;
      this.asked.push(query);
      const steps = Array.from({ length: this.last }, (_, i) => i + 1);
      this.answers.push(() => resolve(new Response(JSON.stringify(this.samples(query, steps)))));
    })) as typeof fetch;
  }

  async answer(): Promise<void> {
    for (const answer of this.answers.splice(0)) answer();
    for (let i = 0; i < 20; ++i) await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  private samples(query: URLSearchParams, steps: number[]): Samples {
    const isTime = query.get("x") === "time";
    const place = (step: number) => (isTime ? step / 10 : step);
    const [from, to] = [Number(query.get("from") ?? 0), Number(query.get("to") ?? Infinity)];
    const mean = steps.filter((step) => place(step) >= from && place(step) <= to);
    const x = mean.map(place);
    const buckets = [{ generation: 0, x0: x, x1: x, min: mean, max: mean, mean, count: mean.map(() => 1) }];
    const recorded = query.get("series")!.split(",").filter((name) => name === "loss" || name === "step");
    return { x: isTime ? "time" : "step", range: [place(1), place(this.last)], above_zero: place(1),
      series: Object.fromEntries(recorded.map((name) => [name, buckets])) };
  }
}

function opened(server: Server): { store: SampleStore; view: ViewState } {
  const view = new ViewState(new URLSearchParams("x=step"));
  const store = new SampleStore("3f9a", view);
  store.want(["loss"], 2000);
  assert.equal(server.asked.length, 1);
  return { store, view };
}

// Every step of a piece once: a bucket holds as many as it counts.
function steps(pieces: readonly Piece[]): number[] {
  return pieces.map((piece) => piece.count.reduce((sum, count) => sum + count, 0));
}

test("rows that come while an answer is on its way are not lost, and those that it has are not doubled", async () => {
  const server = new Server(50);
  const { store, view } = opened(server);
  store.add(rows(41, 60));
  await server.answer();
  assert.deepEqual(steps(store.pieces("loss")), [60]);
  store.add(rows(58, 80));
  assert.deepEqual(steps(store.pieces("loss")), [80]);
  assert.deepEqual(view.whole, { from: 0, to: 80 });
  store.end();
});

test("progress is a series, and comes as a row's place", async () => {
  const server = new Server(50);
  const { store } = opened(server);
  store.want(["loss", "progress"], 2000);
  await server.answer();
  store.add(rows(51, 53));
  assert.deepEqual(store.pieces("progress").map((piece) => piece.mean), [[51, 52, 53]]);
  store.end();
});

test("a new generation has a piece of its own", async () => {
  const server = new Server(50);
  const { store } = opened(server);
  await server.answer();
  store.add(rows(46, 70, 1));
  assert.deepEqual(store.pieces("loss").map((piece) => [piece.generation, piece.x0[0]]), [[0, 1], [1, 46]]);
  store.end();
});

test("a part in the past is asked for, and what streams in meanwhile only makes the whole longer", async () => {
  const server = new Server(1000);
  const { store, view } = opened(server);
  await server.answer();
  view.show({ from: 100, to: 140 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const query = server.asked.at(-1)!;
  assert.deepEqual([query.get("from"), query.get("to")], ["90", "150"]);
  await server.answer();
  store.add(rows(1001, 1010));
  assert.equal(store.pieces("loss")[0]!.x1.at(-1), 150);
  assert.equal(view.whole.to, 1010);
  assert.deepEqual(view.shown, { from: 100, to: 140 });
  store.end();
});

test("a value that comes late stands where its step is", async () => {
  const server = new Server(50);
  const { store, view } = opened(server);
  store.want(["loss", "step", "accuracy"], 2000);
  view.setAxis("time");
  await server.answer();
  store.add([{ generation: 0, step: 48, x: { time: null, progress: null }, values: { accuracy: 0.9 } }]);
  assert.deepEqual(store.pieces("accuracy").map((piece) => [piece.x1, piece.mean]), [[[4.8], [0.9]]]);
  store.end();
});
