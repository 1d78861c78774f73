// SPDX-License-Identifier: Apache-2.0
// Where an axis has its ticks and what is written beside them, as in the window (app/common's ticks.h and
// app/desktop/chart/axis): multiples of a round number, powers where it is logarithmic, time by the clock.
import { fixed, power } from "./format";

export interface Tick {
  value: number;
  label: string;
}

const minute = 60;
const hour = 3600;
const day = 86400;
const slack = 1e-9; // of a number that is meant to be round
const mostDecimals = 6;

/** The smallest round interval that covers [low, high] in at most `most` steps; 1 where there is nothing to cover. */
export function roundInterval(low: number, high: number, most: number): number {
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  for (const step of [1, 2, 2.5, 5]) if (step * unit >= rough * (1 - slack)) return step * unit;
  return 10 * unit;
}

/** The multiples of the interval within [low, high], at most 100. */
export function multiples(low: number, high: number, interval: number): number[] {
  const found: number[] = [];
  const near = interval * 1e-6;
  for (let n = Math.ceil((low - near) / interval); n * interval <= high + near && found.length < 100; ++n) {
    found.push(n * interval + 0); // no -0
  }
  return found;
}

function powers(low: number, high: number, base: number, most: number): number[] {
  const found: number[] = [];
  const stride = Math.max(1, Math.ceil(Math.log(high / low) / Math.log(base) / Math.max(1, most)));
  for (let n = Math.ceil(Math.log(low) / Math.log(base) - slack); found.length < 100; n += stride) {
    const value = base ** n;
    if (value > high * (1 + slack)) break;
    found.push(value);
  }
  return found;
}

function decimalsOf(interval: number): number {
  for (let decimals = 0, scaled = interval; decimals <= mostDecimals; ++decimals, scaled *= 10) {
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return mostDecimals + 1;
}

// A value in a unit, with as many decimals as tell it from its neighbours at this interval.
function numberText(value: number, interval: number, unit: number): string {
  const decimals = decimalsOf(interval / unit);
  if (decimals > mostDecimals) {
    const digits = Math.trunc(Math.log10(Math.max(Math.abs(value), interval) / interval)) + 3;
    return Number((value / unit).toPrecision(digits)).toString();
  }
  return fixed(value / unit, decimals);
}

function plainText(value: number, interval: number, largest: number): string {
  if (value === 0) return "0";
  if (largest >= 1e6) return `${numberText(value, interval, 1e6)}M`;
  if (largest >= 1e-3) return numberText(value, interval, 1);
  const exponent = Math.floor(Math.log10(largest));
  return `${numberText(value, interval, 10 ** exponent)}×${power(exponent)}`;
}

function isMultiple(interval: number, unit: number): boolean {
  const rest = interval / unit - Math.round(interval / unit);
  return interval >= unit && Math.abs(rest) < 1e-6;
}

// 3:20 in units of 60, of which the smaller may have decimals: 3:20.5
function clockText(value: number, interval: number): string {
  const whole = Math.floor(value / 60 + slack);
  const rest = numberText(Math.max(0, value - 60 * whole), interval, 1);
  return `${fixed(whole, 0)}:${/^\d\d/.test(rest) ? rest : `0${rest}`}`;
}

// Seconds, minutes or hours by how large the axis is; where its ticks are not multiples of them, by the clock.
function timeText(value: number, interval: number, largest: number): string {
  if (largest <= 3 * minute) return `${numberText(value, interval, 1)} s`;
  if (largest <= 3 * hour) {
    return isMultiple(interval, minute) ? `${numberText(value, interval, minute)} min` : clockText(value, interval);
  }
  if (largest > 3 * day && interval >= day / 4) return `${numberText(value, interval, day)} d`;
  if (isMultiple(interval, hour)) return `${numberText(value, interval, hour)} h`;
  if (isMultiple(interval, minute)) return `${clockText(value / minute, interval / minute)} h`;
  const hours = Math.floor(value / hour + slack);
  return `${hours}:${clockText(value - hours * hour, interval).padStart(5, "0")}`;
}

type Text = (value: number, interval: number, largest: number) => string;

function evenly(low: number, high: number, interval: number, text: Text): Tick[] {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return multiples(low, high, interval).map((value) => ({ value, label: text(value, interval, largest) }));
}

export function linearTicks(low: number, high: number, most: number): Tick[] {
  return evenly(low, high, roundInterval(low, high, most), plainText);
}

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200];

export function timeTicks(low: number, high: number, most: number): Tick[] {
  const rough = (high - low) / Math.max(1, most);
  if (rough < 1) return evenly(low, high, roundInterval(low, high, most), timeText);
  const step = timeSteps.find((each) => each >= rough);
  return evenly(low, high, step ?? day * roundInterval(low / day, high / day, most), timeText);
}

const timeUnits: [number, string, number[]][] = [[1e-3, "ms", [1, 3, 10, 30, 100, 300]], [1, "s", [1, 3, 10, 30]],
  [minute, "min", [1, 3, 10, 30]], [hour, "h", [1, 3, 10]], [day, "d", [1, 3, 10, 30, 100]]];

/** The same for a logarithmic axis, from the end on, where it is dense. */
export function logTimeTicks(low: number, high: number, most: number): Tick[] {
  const all = timeUnits.flatMap(([seconds, name, counts]) => counts.map((count) => ({ value: count * seconds, label: `${count} ${name}` })))
    .filter(({ value }) => value >= low * (1 - slack) && value <= high * (1 + slack));
  const stride = Math.max(1, Math.ceil(all.length / Math.max(1, most)));
  return all.filter((_, i) => (all.length - 1 - i) % stride === 0);
}

/** Returns the ticks of an axis whose ends are above 0: powers of two or ten, and 1, 2, 5 below one. */
export function logTicks(low: number, high: number, most: number): Tick[] {
  const octaves = Math.log2(high / low);
  let values: number[] = [];
  if (low >= 1) {
    values = powers(low, high, octaves <= most ? 2 : octaves <= 2 * most ? 4 : 10, most);
  } else if (octaves <= 2 * most) {
    for (let unit = 10 ** Math.floor(Math.log10(low)); unit <= high; unit *= 10) {
      for (const each of [1, 2, 5]) {
        if (each * unit >= low * (1 - slack) && each * unit <= high * (1 + slack)) values.push(each * unit);
      }
    }
  } else {
    values = powers(low, high, 10, most);
  }
  return values.map((value) => {
    const digit = 10 ** Math.floor(Math.log10(value) + slack);
    return { value, label: plainText(value, value >= 1e6 ? value : Math.min(1, digit), value) };
  });
}
