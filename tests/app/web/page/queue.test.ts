// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isHeld, type Job, lanes, poolText, type Queue, tableRows } from "../../../../app/web/page/src/queue/jobs";

const job: Job = {
  run: "a", name: "a", group: "", place: null, state: "running", replicas: 1, asked: "auto:1-4", devices: ["cpu:0"], target: ["cpu:0"],
  submitted: 0, waited: 0, expected_end: null, priority: 0, after: null, held: false, preempted: false, reason: "", rung: null,
  shown: { state: "running", tone: "good", replicas: "1 of 1–4", why: "" },
};

test("what the pool does, and when it was heard", () => {
  assert.equal(poolText({ policy: "fair", paused: false, draining: false }, { pid: 7, age: 3, hang: "" }), "fair, heard 3 s ago");
  assert.equal(poolText({ policy: "fair", paused: true, draining: false }, null), "paused");
});

test("who is held is released, whether a person has held or paused it", () => {
  assert.equal(isHeld(job), false);
  assert.equal(isHeld({ ...job, held: true }), true);
  assert.equal(isHeld({ ...job, state: "held" }), true);
  assert.equal(isHeld({ ...job, state: "held", rung: 1 }), false); // its sweep decides
});

test("trials that wait at a rung are one row until it is unfolded", () => {
  const trials = ["b", "c"].map((run): Job => ({ ...job, run, name: run, state: "held", rung: 1 }));
  const queue: Pick<Queue, "queue" | "rows"> = {
    queue: [...trials, job],
    rows: [{ run: "a" }, { sweep: "rates", text: "2 wait at rung 1 of rates", runs: ["b", "c"] }],
  };
  const shown = (unfolded: string[]) => tableRows(queue, new Set(unfolded)).map((row) => row.fold?.sweep ?? row.job.name);
  assert.deepEqual(shown([]), ["a", "rates"]);
  assert.deepEqual(shown(["rates"]), ["a", "rates", "b", "c"]);
});

test("a lane for each device, GPUs first, and a bar for each lease within the last hour", () => {
  const now = 10_000;
  const lease = (device: string, since: number, until: number | null) => ({ device, run: "a", name: "a", since, until });
  const queue = {
    devices: ["cpu:10", "cpu:9", "cuda:0"],
    leases: [lease("cpu:9", now - 9000, now - 1800), lease("cuda:0", now - 60, null)],
  };
  const figure = lanes(queue, now);
  assert.deepEqual(figure.left.names, ["cpu:10", "cpu:9", "cuda:0"]);
  assert.deepEqual(figure.series[0]!.points.map(({ x, to, y }) => [x, to, y]), [[-3600, -1800, 1], [-60, 0, 2]]);
});

test("lanes stand by machine, those of the pool's own first", () => {
  const devices = ["cpu:0", "n10/cpu:0", "n2/cpu:1", "n2/cuda:0"];
  const figure = lanes({ devices, leases: [] }, 0);
  assert.deepEqual(figure.left.names, ["n10/cpu:0", "n2/cpu:1", "n2/cuda:0", "cpu:0"]); // from below
});
