// SPDX-License-Identifier: Apache-2.0
// uPlot's axes with the page's ticks: sizes are fixed, so that the plots of a column stand under one another and nothing
// moves while numbers change.
import type uPlot from "uplot";
import type { Colours } from "../base/theme";
import { linearTicks, logTicks, logTimeTicks, timeTicks, type Tick } from "../base/ticks";
import type { Axis } from "../base/types";
import { fontFamily } from "./paint";

export interface AxesOptions {
  axis: () => Axis;
  isLogX: boolean;
  isLog: boolean;
  base: number; // what the values on the left stand on
  hasRight: boolean;
  colours: () => Colours;
}

export const leftSize = 48;
export const rightSize = 38;
export const bottomSize = 24;

type Ticks = (low: number, high: number, most: number) => Tick[];

// uPlot asks for the places of the ticks, then for what is written at them.
function ticked(ticks: () => Ticks, room: number, isAcross: boolean): Pick<uPlot.Axis, "splits" | "values"> {
  let latest: Tick[] = [];
  return {
    splits: (plot, _index, low, high) => {
      const length = (isAcross ? plot.bbox.width : plot.bbox.height) / devicePixelRatio;
      latest = ticks()(low, high, Math.max(2, Math.floor(length / room)));
      return latest.map((tick) => tick.value);
    },
    values: () => latest.map((tick) => tick.label),
  };
}

// A base that is not a round number is a tick of its own, and nothing is below it.
function standing(base: number): Ticks {
  if (base === 0) return linearTicks;
  return (low, high, most) => {
    if (low > base) return linearTicks(low, high, most);
    const apart = (high - low) / 8;
    const above = linearTicks(low, high, most).filter((tick) => tick.value >= base + apart);
    return [{ value: base, label: String(base) }, ...above];
  };
}

function ticksBelow(axis: Axis, isLog: boolean): Ticks {
  if (axis === "time") return isLog ? logTimeTicks : timeTicks;
  return isLog ? logTicks : linearTicks;
}

export function axesOf(options: AxesOptions): uPlot.Axis[] {
  const shared: uPlot.Axis = {
    stroke: () => options.colours().dim,
    font: `10px ${fontFamily}`,
    ticks: { show: false },
    grid: { show: false },
    gap: 6,
    filter: (_plot, splits) => splits, // uPlot would leave out labels of a logarithmic axis
  };
  const left: uPlot.Axis = {
    ...shared,
    ...ticked(() => (options.isLog ? logTicks : standing(options.base)), 34, false),
    scale: "y",
    size: leftSize,
    grid: { show: true, stroke: () => options.colours().grid, width: 1 },
  };
  const bottom: uPlot.Axis = {
    ...shared,
    ...ticked(() => ticksBelow(options.axis(), options.isLogX), 76, true),
    scale: "x",
    size: bottomSize,
  };
  if (!options.hasRight) return [bottom, left];
  const right: uPlot.Axis = { ...shared, ...ticked(() => linearTicks, 34, false), scale: "right", side: 1, size: rightSize };
  return [bottom, left, right];
}
