// SPDX-License-Identifier: Apache-2.0
// The server's answers, as far as the page reads them (app/web/server/API.md; RunStatus is engine/run/PROTOCOL.md's status).

/** A number, or the text that stands for one that is not finite: "nan", "inf", "-inf". */
export type JsonNumber = number | "nan" | "inf" | "-inf" | null;

export function toNumber(value: JsonNumber | undefined): number {
  if (typeof value === "number") return value;
  return value === "inf" ? Infinity : value === "-inf" ? -Infinity : NaN;
}

export interface About {
  version: string;
  host: string;
  store: string;
  read_only: boolean;
  token: string | null; // whose token this browser shows; null: the owner's
  run: string | null; // the only run that it shows, to who has come by a link
  now: number; // s since 1970, the server's
  devices: string[];
  recording?: { columns: number; whole: boolean }; // the most points of a line, and whether each is one step; of a server absent
}

/** A link that shows one run: the part of the address behind the server's. */
export interface Link {
  name: string;
  path: string;
  until: number; // s since 1970
}

export type RunState =
  | "pending" | "starting" | "running" | "restarting" | "pausing" | "paused" | "stopping" | "stopped" | "finished"
  | "failed" | "interrupted" | "damaged";

/** How a state is coloured. */
export type Tone = "good" | "warning" | "bad" | "plain";

/** The words that are shown of a run, as its supervisor reports it. */
export interface ShownStatus {
  state: string; // "Training on 2 replicas"
  tone: Tone;
  progress: string; // "Epoch 3 of 10"
  time: string; // "61 min, about 36 min left"
  restart: ShownRestart | null; // under way
}

/** The parts of a restart's pause. */
export interface ShownRestart {
  title: string; // "Last restart, 1 → 2, 0.31 s"
  steps: { part: string; state: "open" | "on" | "done"; value: string }[];
}

/** The same, and the words that a list shows of it. */
export interface ShownRun extends ShownStatus {
  badge: string; // "×2"
  detail: string; // "epoch 3 of 10 · 98.12 %"
  whose: string; // the sweep that decides whether it goes on
}

export interface RunStatus {
  shown: ShownStatus;
  run: string;
  state: RunState;
  phase: string;
  phase_seconds: number;
  generation: number;
  replicas: number;
  target_replicas: number;
  auto_replicas: string;
  step: number;
  progress: number;
  epoch: number;
  epochs: number;
  loop: string;
  loop_fraction: number;
  total_fraction: number;
  elapsed: number;
  remaining: number;
  latest: Record<string, JsonNumber>;
  message: string;
  devices: string[];
  rescalable: boolean;
  max_profiled: number;
  pause: number;
}

export interface RunSummary {
  id: string; // of a fold empty
  name: string;
  state: RunState;
  message: string;
  created: number;
  ended: number | null;
  epoch: number;
  epochs: number;
  fraction: number;
  step: number;
  replicas: number;
  restarts: number;
  group: string;
  note: string;
  tags: string[];
  devices: string[];
  auto_replicas: string | null;
  latest: Record<string, JsonNumber>;
  live?: RunStatus | null;
  diverged: boolean;
  shown: ShownRun;
  fold?: object | null; // a sweep, in the place of its trials
}

export interface RunList {
  runs: RunSummary[];
  total: number;
}

/** A run in the trash. */
export interface RemovedRun extends RunSummary {
  removed: number; // s since 1970
}

export interface Trash {
  runs: RemovedRun[];
  total: number;
  days: number; // after which `batchscope gc` deletes a run
}

export interface Generation {
  number: number;
  replicas: number;
  reason: string;
  outcome: string;
  first_step: number;
  last_step: number;
  started: number;
  ended: number | null;
  checkpoint: string;
  pause: number | null;
  pause_parts: Record<string, number>;
  shown: { parts: string };
  predicted_goodput: JsonNumber;
  predicted_error: JsonNumber;
  obtained_goodput: JsonNumber;
}

export interface RunEvent {
  id: number;
  level: "debug" | "info" | "warning" | "error";
  text: string;
  time: number;
  step: number;
  generation: number;
}

export interface Checkpoint {
  name: string;
  step: number;
  epoch: number;
  progress: number;
  generation: number;
  bytes: number;
  seconds: number;
  time: number;
  reason: string;
}

export interface Epoch {
  number: number;
  generation: number;
  first_step: number;
  last_step: number;
  started: number;
  ended: number | null;
}

/** A series that is recorded, or that the server computes from others at the same steps. */
export interface SeriesInfo {
  name: string;
  count: number;
  unit: string;
  factor: number;
  kind: string;
  inputs?: string[]; // those that it is computed from
}

/** A mean over the last seconds of training. */
export interface Measured {
  batch_size: number;
  efficiency: JsonNumber;
  goodput: JsonNumber;
  throughput: JsonNumber;
  seconds: number;
}

/** A line of a chart: what it draws, and how it looks. */
export interface LineSpec {
  series: string;
  factor?: number; // to the chart's unit
  isMain?: boolean; // what is drawn where a chart has one line for each of several runs; else the first
  label: string;
  colour: number; // of Colours.runs
  isSmoothed?: boolean; // noise: smoothing applies, and the line unsmoothed is its ghost
  isStepped?: boolean; // a value holds until the next one, such as a batch size
  isSparse?: boolean; // measured once in a while: a marker at each value, and no holes
  isRight?: boolean; // on the right axis
  isDashed?: boolean;
  isBound?: boolean; // dotted, a limit rather than a measurement
  isFromLowest?: boolean; // its axis begins at the lowest value instead of at the base
  isOff?: boolean; // hidden until the legend shows it
  band?: [string, string]; // the series of the lower and of the upper edge of a band around it
}

export interface ChartSpec {
  name: string;
  title: string;
  unit: string;
  isUsual: boolean; // shown without being asked for
  lines: LineSpec[];
  base?: number; // what the values stand on, where they are above it
  bound?: number; // a constant dotted line
  rightTop?: number; // fixed end of the right axis
  isRobust?: boolean; // single peaks do not stretch the axis
  isLogByDefault?: boolean; // logarithmic where the values span decades, unless a person chooses
  isLogLog?: boolean; // both axes are always logarithmic
}

/** A value that is read out at the cross-hair. */
export interface ReadoutRow {
  label: string;
  series: string;
  unit?: string;
  factor?: number; // to the unit
  bound?: string; // the series that bounds it
  isPredicted?: boolean;
}

export interface RunDetail {
  run: RunSummary;
  status: RunStatus | null;
  cursor: string; // of the stream, behind what is answered here
  clock: number; // s since 1970 at which the run's time is 0
  last_restart: ShownRestart | null;
  series: SeriesInfo[];
  charts: ChartSpec[];
  readout: ReadoutRow[];
  generations: Generation[];
  epochs: Epoch[];
  checkpoints: Checkpoint[];
  events: RunEvent[];
  hyperparameters: Record<string, string>;
  origin: { followed: boolean } | null;
  job: object | null; // of the queue
  goodput: { measured: Measured | null } | null;
}

/** Samples of a series in one generation, a bucket an index: x of its first and its last sample, and their values. */
export interface Buckets {
  generation: number;
  x0: JsonNumber[];
  x1: JsonNumber[];
  min: JsonNumber[];
  max: JsonNumber[];
  mean: JsonNumber[];
  count: number[];
}

export type Axis = "step" | "progress" | "time";

export interface Samples {
  x: Axis;
  range: [JsonNumber, JsonNumber] | null; // of all there is; null: nothing
  above_zero: JsonNumber; // the first place above 0
  series: Record<string, Buckets[]>;
}

/** New samples of one step, from the stream; values that come late may have no place but their step. */
export interface Row {
  generation: number;
  step: number;
  x: { time: number | null; progress: number | null };
  values: Record<string, JsonNumber>;
}

/** The model's sentences about a number of replicas. */
export interface WhatIf {
  text: string; // compared with now
  bounds: string; // within which it is the best
  caution: string; // what makes it less sure
  predicted: string[]; // by the rows of the table
}

export interface Explorer {
  why?: string; // there is no model
  what_if?: WhatIf[]; // on 1 replica, on 2 ..
  table: { name: string; measured: string }[]; // measured now
}

export type ControlRequest =
  | { command: "rescale" | "resume"; replicas: number }
  | { command: "rescale"; auto: string }
  | { command: "rescale" | "resume"; devices: string[] }
  | { command: "checkpoint" | "pause" | "resume" | "stop" };

/** Texts that a person writes about a run, by their fields; only those that are to change. */
export interface RunTexts {
  name?: string;
  group?: string;
  tags?: string; // with commas between them
  note?: string;
}

/** A field of a recipe, with its default as text; a flag's is "true" or "false". */
export interface RecipeParameter {
  name: string;
  type: "integer" | "number" | "flag" | "choice";
  value: string;
  min: number | null;
  max: number | null;
  choices: string[];
  help: string;
}

/** An installed recipe, of which runs are made. */
export interface Recipe {
  name: string;
  title: string;
  description: string;
  parameters: RecipeParameter[];
  fixed: string[]; // parameters that a page does not set
}

export interface Recipes {
  recipes: Recipe[];
  replicas: string; // as many as this machine has devices for
}

/** A run that is to be put into the queue, or without what is of the queue is to start now. */
export interface NewRun {
  recipe: string;
  values: Record<string, string>;
  name: string;
  replicas: string;
  device: string;
  priority?: number; // of the queue
  held?: boolean; // of the queue
  pin?: boolean; // of the queue: it keeps the devices that it gets to its end
  after?: string; // of the queue: RUN, RUN:end or RUN:fail; empty: it waits for no run
  group: string;
  tags: string;
  note: string;
}

/** A new run as another one was made. */
export type Clone = Pick<NewRun, "recipe" | "values" | "name" | "replicas" | "device" | "group" | "tags">;

/** A run that is to begin at a checkpoint of another one. */
export interface Fork {
  checkpoint: string;
  name: string;
  replicas: number;
  values: Record<string, string>; // of the recipe's parameters, where they are other ones than the run's
}

/** Says what is wrong with a field, by its name; "values.epochs" is a recipe's. */
export type Complaints = Record<string, string>;

/** A request about a job of the queue. */
export type QueueRequest =
  | { command: "hold" | "release" | "cancel" }
  | { command: "priority"; priority: number }
  | { command: "move"; before: string }
  | { command: "move"; after: string };

export interface PriorityChange {
  run: string;
  before: number;
  after: number;
}

/** The parts of the queue that say whether its runs wait for a pool that does nothing. */
export interface WaitingQueue {
  queue: readonly { state: string }[];
  pool: { alive: boolean; paused: boolean };
  heartbeat: { hang: string } | null; // why it hangs and what to do, or ""
}

/** A sweep in the list of all, as far as a notice tells of it. */
export interface SweepNames {
  sweeps: { name: string; state: string; message: string; shown: { done: string; best: string } }[];
}

/** The values of a setting that a sweep searches. */
export type SearchRange =
  | { min: string; max: string; scale: "linear" | "log" }
  | { values: string[] };

/** A sweep that is to begin. */
export interface NewSweep {
  recipe: string;
  name: string;
  metric: string;
  goal: string;
  method: string;
  trials?: number; // a grid may do without
  replicas: string; // empty: as many as the pool gives
  seeds?: number;
  stop?: { kind: string; min?: string; max?: string; eta?: string };
  values: Record<string, string>;
  search: Record<string, SearchRange>; // by the setting
}

/** A request about a sweep. */
export type SweepRequest =
  | { command: "pause" | "resume" | "stop" | "restore" }
  | { command: "remove"; runs: boolean }
  | { command: "extend"; trials: number; device_hours: number };

/** The settings of the pool that are to change. */
export interface PoolChange {
  policy?: string;
  paused?: boolean;
  draining?: boolean;
  devices?: number; // of each kind; 0: all
}

/** The supervisor's answer to a checkpoint; to anything else, it is the status. */
export interface CheckpointResult {
  name: string;
  step: number;
  bytes: number;
  seconds: number;
}

export const isActive = (state: RunState) =>
  ["starting", "running", "restarting", "pausing", "stopping"].includes(state);
export const isResumable = (state: RunState) => ["paused", "stopped", "failed", "interrupted"].includes(state);

/** A lesson as the list of lessons shows it. */
export interface LessonEntry {
  name: string;
  title: string;
  summary: string;
  pages: number;
}

/** The view beside the text of a lesson; a field that is left out is as usual. */
export interface LessonStage {
  run?: string; // a recorded run, by the name that the lesson has for it
  show?: "charts" | "explorer" | "why";
  axis?: string;
  zoom?: [from: number, to: number];
  cursor?: number; // a step
  smoothing?: number;
  log_x?: boolean;
  log_y?: boolean;
  highlight?: string; // a series of a chart, or the name of a card
  replicas?: number;
  share?: { first: string; second: string; devices: number };
  panel?: "events" | "log" | "checkpoints" | "hyperparameters";
}

export interface LessonPage {
  title: string;
  text: string; // Markdown
  stage: LessonStage;
  choices: { text: string; reply: string; is_right: boolean }[];
  launch?: { recipe: string; replicas: string; values: Record<string, string>; command: string };
}

export interface Lesson extends Omit<LessonEntry, "pages"> {
  pages: LessonPage[];
  runs: Record<string, string | null>; // ids of the recorded runs; null: not in the store yet
}
