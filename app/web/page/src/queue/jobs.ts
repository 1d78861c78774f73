// SPDX-License-Identifier: Apache-2.0
// The queue as the server tells it: its rows, and the lanes of its devices.
import { duration, timeOfDay } from "../base/format";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import type { FigureData, FigureSeries } from "../figure/figure";
import type { Tick } from "../base/ticks";
import type { Tone } from "../base/types";

export interface Job {
  run: string;
  name: string;
  group: string;
  place: number | null;
  state: "pending" | "held" | "starting" | "running" | "paused" | "stopping" | "succeeded" | "failed" | "cancelled";
  replicas: number;
  asked: string;
  devices: string[];
  target: string[];
  submitted: number;
  waited: number;
  expected_end: number | null;
  priority: number;
  after: string | null;
  held: boolean;
  preempted: boolean;
  reason: string;
  rung: number | null; // of a trial that waits there for its sweep to decide
  shown: { state: string; tone: Tone; replicas: string; why: string }; // what is to be read of it
}

/** A row of the queue: a job by its run, or trials of a sweep that wait at a rung. */
export type QueueRow = { run: string } | { sweep: string; text: string; runs: string[] };

export interface Lease {
  device: string;
  run: string;
  name: string;
  since: number;
  until: number | null;
}

/** A machine whose devices the pool gives away; `node` is null for the pool's own. */
export interface Node {
  node: string | null;
  there: boolean;
  shown: { name: string; state: string; runs: string }; // what is to be read of it
}

export interface Queue {
  advice: string;
  mean_wait: number;
  queue: Job[];
  rows: QueueRow[];
  devices: string[];
  nodes: Node[];
  leases: Lease[];
  pool: { policy: string; usual: { name: string; title: string; meaning: string }[]; paused: boolean; draining: boolean; devices: number; alive: boolean };
  /** The pool's, where it is there; `hang` says what to do where it has not beaten for a minute. */
  heartbeat: { pid: number; age: number; hang: string } | null;
}

export const hasEnded = (job: Job) => ["succeeded", "failed", "cancelled"].includes(job.state);

/** Returns whether a person keeps it from having devices: by holding it, or by pausing it. */
export const isHeld = (job: Job) => job.held || (job.state === "held" && job.rung === null);
/** Whether it has a place in the order: a trial that waits at a rung asks for nothing. */
export const canMove = (job: Job) => job.rung === null;
export const mostPriority = 10;

/** A row of the table of jobs: a job, or the first of those that are folded under a sweep. */
export interface TableRow {
  job: Job;
  fold?: { sweep: string; text: string };
}

/** The jobs that have not ended in rows, and below the row of a sweep that is unfolded its trials. */
export function tableRows(queue: Pick<Queue, "queue" | "rows">, unfolded: ReadonlySet<string>): TableRow[] {
  const jobs = new Map(queue.queue.map((job) => [job.run, job]));
  const rowOf = (run: string): TableRow[] => [jobs.get(run)].flatMap((job) => (job ? [{ job }] : []));
  return queue.rows.flatMap((row) => {
    if ("run" in row) return rowOf(row.run);
    const trials = row.runs.flatMap(rowOf);
    if (trials.length === 0) return [];
    const fold = { job: trials[0]!.job, fold: { sweep: row.sweep, text: row.text } };
    return [fold, ...(unfolded.has(row.sweep) ? trials : [])];
  });
}

export function poolText(pool: Pick<Queue["pool"], "policy" | "paused" | "draining">, heartbeat: Queue["heartbeat"]): string {
  const does = pool.paused ? say("paused") : pool.draining ? say("starts nothing new") : pool.policy;
  return heartbeat ? say("{}, heard {} ago", does, duration(heartbeat.age)) : does;
}

// Sorts numbers by value: cpu:9 comes before cpu:10.
function inOrder(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The runs that had a device, in the order of their colours. */
export function runsOf(leases: readonly Lease[]): string[] {
  return [...new Set([...leases].sort((a, b) => a.since - b.since).map((lease) => lease.run))];
}

export const colourOf = (place: number) => `var(--run-${(place % 10) + 1})`;

// "n2/cuda:0" is the GPU cuda:0 of the node n2; the pool's own machine has no name in front.
function byNode(a: string, b: string): number {
  const [nodeA, nodeB] = [a, b].map((device) => device.slice(0, device.indexOf("/") + 1)) as [string, string];
  const isGpu = (device: string) => Number(device.slice(device.indexOf("/") + 1).startsWith("cuda"));
  return inOrder(nodeA, nodeB) || isGpu(b) - isGpu(a) || inOrder(a, b);
}

/** A lane for each device, by machine, GPUs before cores, and in it a bar for each lease, in the colour of its run. */
export function lanes(queue: Pick<Queue, "devices" | "leases">, now: number): FigureData {
  const { leases } = queue;
  const devices = [...new Set([...queue.devices, ...leases.map((lease) => lease.device)])];
  devices.sort(byNode);
  devices.reverse(); // the first on top
  const runs = runsOf(leases);
  const first = leases.reduce((least, lease) => Math.min(least, lease.since), now);
  const low = Math.max(first, now - 3600);
  const series = runs.map((run, i): FigureSeries => ({
    colour: colourOf(i),
    mark: "bars",
    points: leases.filter((lease) => lease.run === run).map((lease) => {
      const end = lease.until ?? now;
      const from = Math.max(low, lease.since);
      const held = [lease.device, duration(end - lease.since), timeOfDay(lease.since, true)];
      return {
        x: from - now,
        to: Math.max(from, end) - now,
        y: devices.indexOf(lease.device),
        text: `${lease.name}\n${lease.until === null ? say("{} for {}, from {}, still", ...held) : say("{} for {}, from {}", ...held)}`,
        open: () => go(pathOf("run", lease.run)),
      };
    }),
  }));
  return {
    series,
    bottom: { kind: "time", low: low - now, high: 0, ticks: agoTicks(now - low) },
    left: { kind: "names", names: devices },
    description: say("{} devices and {} runs in the last {}", devices.length, runs.length, duration(now - low)),
    ...(leases.length === 0 && { missing: say("No run had a device in the last hour.") }),
  };
}

function agoTicks(span: number): Tick[] {
  const step = [1, 2, 5, 10, 30, 60, 120, 300, 600, 900].find((each) => span / each <= 7) ?? 900;
  const ticks: Tick[] = [{ value: 0, label: say("now") }];
  for (let ago = step; ago <= span; ago += step) ticks.push({ value: -ago, label: `−${duration(ago)}` });
  return ticks;
}
