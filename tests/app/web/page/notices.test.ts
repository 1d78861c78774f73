// SPDX-License-Identifier: Apache-2.0
// A person is told of runs that ended by themselves, and of no others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { endedSince } from "../../../../app/web/page/src/base/notices";
import type { RunSummary } from "../../../../app/web/page/src/base/types";

const runs = (states: Record<string, string>) => Object.entries(states).map(([id, state]) => ({ id, state }) as RunSummary);
const ended = (before: Record<string, string>, now: Record<string, string>) =>
  endedSince(new Map(Object.entries(before)), runs(now)).map((run) => run.id);

test("a run that trained and has finished or failed is told of", () => {
  assert.deepEqual(ended({ a: "running", b: "restarting", c: "running" }, { a: "finished", b: "failed", c: "running" }), ["a", "b"]);
});

test("what a person ended, and what had ended before, is not", () => {
  assert.deepEqual(ended({ a: "running", b: "finished", c: "running" }, { a: "stopped", b: "finished", c: "paused" }), []);
});

test("a run that was not there before is not", () => {
  assert.deepEqual(ended({}, { a: "finished" }), []);
});
