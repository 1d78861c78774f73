// SPDX-License-Identifier: Apache-2.0
// A person is told of runs and sweeps that ended by themselves, of a pool that keeps runs waiting, and of nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endedSince, poolOf, type Watched } from "../../../../app/web/page/src/base/notices";

const watched = (states: Record<string, string>) =>
  Object.entries(states).map(([key, state]): Watched => ({ key, state, title: "", body: "", address: "/" }));
const ended = (before: Record<string, string>, now: Record<string, string>) =>
  endedSince(new Map(Object.entries(before)), watched(now)).map((each) => each.key);

test("what trained and has finished or failed is told of", () => {
  assert.deepEqual(ended({ a: "running", b: "restarting", "sweep s": "running" }, { a: "finished", b: "failed", "sweep s": "finished" }), ["a", "b", "sweep s"]);
});

test("what a person ended, and what had ended before, is not", () => {
  assert.deepEqual(ended({ a: "running", b: "finished", "sweep s": "running" }, { a: "stopped", b: "finished", "sweep s": "paused" }), []);
});

test("a run that was not there before is not", () => {
  assert.deepEqual(ended({}, { a: "finished" }), []);
});

// The state of the pool after each look.
function looks(...queues: [waiting: number, alive: boolean, paused?: boolean, hang?: string][]): string[] {
  const states: string[] = [];
  for (const [waiting, alive, paused = false, hang = ""] of queues) {
    const queue = { queue: Array.from({ length: waiting }, () => ({ state: "pending" })), pool: { alive, paused }, heartbeat: alive ? { hang } : null };
    states.push(poolOf(queue, states.at(-1)).state);
  }
  return states;
}

test("a pool that is not there, is paused or hangs while runs wait is told of at the second look, once", () => {
  assert.deepEqual(looks([0, false], [1, false], [1, false], [1, false], [1, true]), ["running", "waits", "failed", "failed", "running"]);
  assert.deepEqual(looks([1, true, true], [1, true, true]), ["waits", "failed"]);
  assert.deepEqual(looks([1, true, false, "it hangs"], [1, true, false, "it hangs"]), ["waits", "failed"]);
  assert.deepEqual(ended({ pool: "waits" }, { pool: "failed" }), ["pool"]);
  assert.deepEqual(ended({ pool: "failed" }, { pool: "failed" }), []);
});

test("a pool without runs that wait may rest, and one that works may keep them waiting", () => {
  assert.deepEqual(looks([0, false], [0, true, true], [3, true], [3, true]), ["running", "running", "running", "running"]);
});

test("a notice of the pool says what keeps the runs", () => {
  const told = (alive: boolean, hang = "") =>
    poolOf({ queue: [{ state: "pending" }], pool: { alive, paused: true }, heartbeat: alive ? { hang } : null }, "waits");
  assert.deepEqual([told(true).title, told(true).body], ["The pool is paused", "1 run waits for devices"]);
  assert.deepEqual([told(false).title, told(true, "end it").title, told(true, "end it").body], ["No pool is running", "The pool hangs", "end it"]);
});
