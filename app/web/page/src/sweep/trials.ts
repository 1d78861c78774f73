// SPDX-License-Identifier: Apache-2.0
// A sweep as the server tells it, and its trials by value: ranks, axes, and the best so far.
import { logTicks, type Tick } from "../base/ticks";
import { number } from "../base/format";
import type { Tone } from "../base/types";
import { type Axis, type Scale, scaleOf } from "../figure/scale";

export interface Trial {
  trial: number;
  state: string;
  shown: { state: string; tone: Tone; value: string; text: string }; // what is to be read of it
  parameters: Record<string, string>;
  value: number | string | null; // a string where it is not a number: "nan", "inf"
  rung: number | null;
  runs: (string | null)[]; // of its seeds; null: not begun
  began: number | null;
  ended: number | null;
  device_hours: number;
  message: string;
}

// A trial's training from one rung to the next.
export interface Leg {
  trial: number;
  rung: number;
  iterations: number | null; // null: of a sweep without rungs
  value: number | string | null;
  outcome: string;
  began: number;
  ended: number | null;
  device_hours: number;
  origin: number | null; // the trial whose checkpoint it took over
}

export interface Parameter {
  name: string;
  scale: "linear" | "log";
  min: number | null;
  max: number | null;
  values: (string | number)[] | null;
}

/** The words that are shown of a sweep; a value of the metric times `factor` is in `unit`. */
export interface SweepShown {
  state: string;
  tone: Tone;
  done: string;
  best: string;
  left: string; // empty where it is not known
  unit: string;
  factor: number;
  totals: { name: string; how: string; value: string }[];
}

export interface Sweep {
  sweep: {
    name: string;
    state: string;
    metric: string;
    goal: "min" | "max";
    created: number;
    ended: number | null;
    device_hours: number;
    message: string;
    share: number; // of all its training that is done, 0 to 1
    driven: boolean; // whether a process sees to it
    trials: { done: number };
    best: Pick<Trial, "trial" | "value"> | null;
    shown: SweepShown;
  };
  trials: Trial[];
  legs: Leg[];
  parameters: Parameter[];
  importance: { name: string; share: number }[];
  stop: { kind: string; unit: string; rungs: number[] };
  extends: { trials: boolean; device_hours: boolean }; // of what it can have more
}

/** NaN where there is none. */
export function numeric(value: number | string | null | undefined): number {
  return typeof value === "number" ? value : NaN;
}

/** A value of the metric in its unit: 97.89 % */
export function metricText({ sweep: { shown } }: Sweep, value: number): string {
  return `${number(shown.factor * value, 4)} ${shown.unit}`.trim();
}

/** The metric's name and its unit. */
export function metricTitle({ sweep: { metric, shown } }: Sweep): string {
  return shown.unit === "" ? metric : `${metric}, ${shown.unit}`;
}

/** Returns whether `a` is better than `b`, both numbers. */
export function isBetter(goal: "min" | "max", a: number, b: number): boolean {
  return goal === "max" ? a > b : a < b;
}

/** Returns the rank of each trial, in their order: 1 the best, 0 the worst, NaN where it has no value. */
export function ranks(sweep: Sweep): number[] {
  const values = sweep.trials.map((trial) => numeric(trial.value));
  const order = values.filter((value) => !Number.isNaN(value)).sort((a, b) => (sweep.sweep.goal === "max" ? a - b : b - a));
  const places = new Map<number, number>(); // of equal values the first
  order.forEach((value, place) => places.has(value) || places.set(value, place));
  return values.map((value) => (Number.isNaN(value) ? NaN : order.length < 2 ? 1 : places.get(value)! / (order.length - 1)));
}

/** An axis that trials have places on: of a parameter, or of the metric. */
export interface TrialAxis {
  name: string;
  axis: Axis;
  scale: Scale;
  values: number[]; // of each trial; NaN where it has none
  text(trial: number): string;
}

const ticks = 5;
const spread = 0.6; // of a name's part of its axis, over which the trials that have it are spread
const golden = 0.6180339887;
const manyOrders = 100; // over which values are shown by their logarithm

function axisOf(name: string, axis: Axis, values: number[], text: (trial: number) => string): TrialAxis {
  return { name, axis, scale: scaleOf(axis, values, ticks), values, text };
}

// A scale that fits what is there: numbers, by their logarithm where they cover orders of magnitude.
function numberAxis(name: string, values: number[], text: (trial: number) => string, parameter?: Parameter): TrialAxis {
  const known = values.filter(Number.isFinite);
  const low = known.reduce((a, b) => Math.min(a, b), Infinity);
  const high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const isLog = parameter?.scale ? parameter.scale === "log" : low > 0 && high > manyOrders * low;
  const axis: Axis = { kind: isLog ? "log" : "linear" };
  if (typeof parameter?.min === "number") axis.low = parameter.min;
  if (typeof parameter?.max === "number") axis.high = parameter.max;
  return axisOf(name, axis, values, text);
}

/** Returns an axis for each parameter that was searched: one that is the same in all trials has none. */
export function parameterAxes(sweep: Sweep): TrialAxis[] {
  const axes: TrialAxis[] = [];
  for (const parameter of sweep.parameters) {
    const { name } = parameter;
    const texts = sweep.trials.map((each) => each.parameters[name]);
    const there = [...new Set(texts.filter((each) => each !== undefined))];
    const choices = parameter.values?.map(String) ?? there;
    if (choices.length === 1) continue;
    const text = (trial: number) => texts[trial] ?? "–";
    const isNumeric = there.every((each) => each !== "" && Number.isFinite(Number(each)));
    if (!isNumeric || parameter.values) {
      const order = isNumeric ? [...choices].sort((a, b) => Number(a) - Number(b)) : choices;
      const values = texts.map((each) => (each === undefined ? NaN : order.indexOf(each)));
      axes.push(axisOf(name, { kind: "names", names: order }, values, text));
    } else {
      axes.push(numberAxis(name, texts.map((each) => (each === undefined ? NaN : Number(each))), text, parameter));
    }
  }
  return axes;
}

export function metricAxis(sweep: Sweep): TrialAxis {
  const values = sweep.trials.map((trial) => sweep.sweep.shown.factor * numeric(trial.value));
  return numberAxis(metricTitle(sweep), values, (trial) => sweep.trials[trial]!.shown.value);
}

/** Where a trial crosses an axis, 0 to 1; NaN where it has no value. Each has a place of its own at a name. */
export function crossing({ axis, scale, values }: TrialAxis, trial: number): number {
  const aside = axis.names ? (((trial * golden) % 1) - 0.5) * (spread / axis.names.length) : 0;
  return scale.at(values[trial]!) + aside;
}

/** When the sweep had found what: the steps of its best value, over seconds since it began or of devices' time. */
export function bestSoFar(sweep: Sweep, by: "time" | "devices"): { at: number; value: number; trial: number }[] {
  const ended = sweep.legs.filter((leg) => leg.ended !== null).sort((a, b) => a.ended! - b.ended!);
  const steps: { at: number; value: number; trial: number }[] = [];
  let hours = 0;
  for (const leg of ended) {
    hours += leg.device_hours;
    const value = numeric(leg.value);
    const last = steps[steps.length - 1];
    if (Number.isNaN(value) || (last && !isBetter(sweep.sweep.goal, value, last.value))) continue;
    steps.push({ at: by === "time" ? leg.ended! - sweep.sweep.created : 3600 * hours, value, trial: leg.trial });
  }
  return steps;
}

/** Where rungs lie on an axis whose rungs are each a multiple of the one before. */
export function rungTicks(rungs: readonly number[]): Tick[] {
  return rungs.length < 8 ? rungs.map((value) => ({ value, label: number(value) })) : logTicks(rungs[0]!, rungs[rungs.length - 1]!, 6);
}
