// SPDX-License-Identifier: Apache-2.0
// A scale maps values to places along an axis, with ticks there: for figures with few points at rest (charts of
// samples have their own). An axis of names has its values at 0, 1, 2 and so on.
import { linearTicks, logTicks, roundInterval, timeTicks, type Tick } from "../base/ticks";

export interface Axis {
  kind?: "linear" | "log" | "time" | "names";
  title?: string;
  low?: number; // where it begins and ends; else where the values do
  high?: number;
  names?: readonly string[];
  ticks?: readonly Tick[]; // instead of round ones
}

export interface Scale {
  low: number;
  high: number;
  ticks: readonly Tick[];
  at(value: number): number; // 0 at its beginning, 1 at its end
}

function between(low: number, high: number): (value: number) => number {
  return (value) => (high > low ? (value - low) / (high - low) : 0.5);
}

/** `most` is how many ticks there is room for. Values that are not numbers, and those a logarithm has none of, are left out. */
export function scaleOf(axis: Axis, values: readonly number[], most: number): Scale {
  if (axis.kind === "names") {
    const names = axis.names ?? [];
    const [low, high] = [-0.5, Math.max(1, names.length) - 0.5];
    return { low, high, ticks: names.map((label, value) => ({ value, label })), at: between(low, high) };
  }
  const isLog = axis.kind === "log";
  const usable = values.filter((each) => Number.isFinite(each) && (!isLog || each > 0));
  let low = axis.low ?? usable.reduce((a, b) => Math.min(a, b), Infinity);
  let high = axis.high ?? usable.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!(low <= high)) [low, high] = isLog ? [1, 10] : [0, 1];
  if (isLog) {
    if (low === high) [low, high] = [low / 2, high * 2];
    const at = between(Math.log(low), Math.log(high));
    return { low, high, ticks: axis.ticks ?? logTicks(low, high, most), at: (value) => at(Math.log(value)) };
  }
  if (low === high) [low, high] = [low - (axis.low === undefined ? 0.5 : 0), high + 0.5];
  // Open ends go on to the next round number.
  const interval = roundInterval(low, high, most);
  if (axis.low === undefined) low = Math.floor(low / interval + 1e-9) * interval;
  if (axis.high === undefined && axis.kind !== "time") high = Math.ceil(high / interval - 1e-9) * interval;
  const ticks = axis.ticks ?? (axis.kind === "time" ? timeTicks : linearTicks)(low, high, most);
  return { low, high, ticks, at: between(low, high) };
}
