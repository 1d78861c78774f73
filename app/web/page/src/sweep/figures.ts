// SPDX-License-Identifier: Apache-2.0
// The figures of a sweep: learning curves from rung to rung, the best so far, one value over another, and what matters.
// The best trial is orange and the others the stronger the better they did.
import { duration, number, percent } from "../base/format";
import { say } from "../base/say";
import type { FigureData, FigurePoint, FigureSeries } from "../figure/figure";
import { bestSoFar, metricText, metricTitle, numeric, parameterAxes, rungTicks, type Sweep, type TrialAxis } from "./trials";

const accent = "var(--accent)";
const best = "var(--series-2)";
const mostLines = 120; // of learning curves, as in the window: more cannot be told apart

export function bestIndex(sweep: Sweep): number {
  return sweep.trials.findIndex((trial) => trial.trial === sweep.sweep.best?.trial);
}

export function learningCurves(sweep: Sweep, rank: readonly number[]): FigureData {
  const { metric, shown: { factor } } = sweep.sweep;
  const curves = new Map<number, FigurePoint[]>();
  const lineage: FigurePoint[] = []; // from where the one was whose checkpoint another took over
  const known = new Map<string, FigurePoint>();
  const rungs = new Set<number>();
  for (const leg of sweep.legs) {
    const value = numeric(leg.value);
    if (Number.isNaN(value) || leg.outcome !== "value") continue;
    const x = sweep.stop.rungs[leg.rung] ?? leg.iterations;
      if (x === null) continue;
    const point = { x, y: factor * value, text: say("Trial {} at rung {}\n{} {}", leg.trial, leg.rung, metric, metricText(sweep, value)) };
    const curve = curves.get(leg.trial) ?? [];
    const origin = leg.origin === null ? undefined : known.get(`${leg.origin} ${leg.rung - 1}`);
    if (origin) {
      curve.push({ x: NaN, y: NaN });
      lineage.push({ x: origin.x, y: origin.y }, { x: point.x, y: point.y }, { x: NaN, y: NaN });
    }
    curve.push(point);
    curves.set(leg.trial, curve);
    known.set(`${leg.trial} ${leg.rung}`, point);
    rungs.add(x);
  }
  const first = bestIndex(sweep);
  const order = sweep.trials.map((_, i) => i).filter((i) => curves.has(sweep.trials[i]!.trial));
  const curveOf = (i: number) => curves.get(sweep.trials[i]!.trial)!;
  order.sort((a, b) => Number(a === first) - Number(b === first) || curveOf(a).length - curveOf(b).length || (rank[a] || 0) - (rank[b] || 0));
  const dots: FigurePoint[] = [];
  const series: FigureSeries[] = [];
  for (const [place, i] of order.entries()) {
    if (i !== first && (curveOf(i).length === 1 || place < order.length - mostLines)) {
      dots.push(...curveOf(i).map((point) => ({ ...point, strength: rank[i] || 0 })));
    } else {
      series.push({
        colour: i === first ? best : accent,
        mark: "dotted line",
        size: i === first ? 2.5 : 1.5,
        opacity: i === first ? 1 : 0.25 + 0.6 * (rank[i] || 0),
        points: curveOf(i),
      });
    }
  }
  if (dots.length > 0) series.unshift({ colour: accent, mark: "dots", size: 2.5, points: dots });
  if (lineage.length > 0) series.unshift({ colour: "var(--dim)", mark: "line", size: 1, dash: "2 3", points: lineage });
  const places = [...rungs].sort((a, b) => a - b);
  const isEven = sweep.stop.kind === "pbt";
  return {
    series,
    bottom: { kind: isEven ? "linear" : "log", title: sweep.stop.unit === "steps" ? say("steps") : say("scale-invariant iterations"), ticks: rungTicks(places) },
    left: { title: metricTitle(sweep) },
    notes: places.map((x) => ({ x, colour: "var(--hairline)" })),
    description: say("{} of {} trials on {} rungs", metric, order.length, places.length),
    ...(series.length === 0 && { missing: say("No trial has reached a rung yet.") }),
  };
}

export function bestFigure(sweep: Sweep, by: "time" | "devices"): FigureData {
  const { metric, shown: { factor } } = sweep.sweep;
  const steps = bestSoFar(sweep, by);
  const line: FigurePoint[] = [];
  for (const [i, step] of steps.entries()) {
    if (i > 0) line.push({ x: step.at, y: factor * steps[i - 1]!.value });
    line.push({ x: step.at, y: factor * step.value });
  }
  const last = steps[steps.length - 1];
  const end = by === "time"
    ? sweep.legs.reduce((last, leg) => Math.max(last, leg.ended ?? 0), 0) - sweep.sweep.created
    : 3600 * sweep.legs.reduce((sum, leg) => sum + leg.device_hours, 0);
  if (last) line.push({ x: end, y: factor * last.value });
  const dots = steps.map((step) => ({
    x: step.at,
    y: factor * step.value,
    text: say("Trial {}\n{} {} after {}", step.trial, metric, metricText(sweep, step.value), duration(step.at)),
  }));
  return {
    series: [
      { colour: best, mark: "line", points: line },
      { colour: best, mark: "dots", size: 4, points: dots },
    ],
    bottom: { kind: "time", title: by === "time" ? say("time since the sweep began") : say("device time"), low: 0 },
    left: { title: metricTitle(sweep) },
    description: last ? say("Best {} {} after {}", metric, metricText(sweep, last.value), duration(last.at)) : say("No value yet"),
    ...(!last && { missing: say("No trial has a value yet.") }),
  };
}

export function scatter(sweep: Sweep, x: TrialAxis, y: TrialAxis, rank: readonly number[], kept: (index: number) => boolean): FigureData {
  const first = bestIndex(sweep);
  const points = sweep.trials.map((_, i): FigurePoint => ({
    x: x.values[i]!,
    y: y.values[i]!,
    text: sweep.trials[i]!.shown.text,
    strength: kept(i) ? rank[i] || 0 : 0,
  }));
  const isThere = (point: FigurePoint) => Number.isFinite(point.x) && Number.isFinite(point.y);
  const others = points.filter((point, i) => i !== first && isThere(point));
  const top = points.filter((point, i) => i === first && isThere(point));
  return {
    series: [
      { colour: accent, mark: "dots", points: others },
      { colour: best, mark: "dots", size: 6, points: top.map(({ strength: _, ...point }) => point) },
    ],
    bottom: { ...x.axis, title: x.name },
    left: { ...y.axis, title: y.name },
    description: say("{} over {} of {} trials", y.name, x.name, others.length + top.length),
    ...(others.length + top.length === 0 && { missing: say("No trial has both values yet.") }),
  };
}

export function importanceFigure(sweep: Sweep): FigureData {
  const searched = new Set(parameterAxes(sweep).map((axis) => axis.name));
  const shares = sweep.importance.filter((each) => Number.isFinite(each.share) && searched.has(each.name)).sort((a, b) => a.share - b.share);
  const isKnown = shares.some((each) => each.share > 0);
  return {
    series: [{
      colour: accent,
      mark: "bars",
      opacity: 0.75,
      points: shares.map((each, y) => ({ x: 0, to: 100 * each.share, y, text: say("{}: {} of the effect that all parameters explain", each.name, percent(each.share)) })),
    }],
    bottom: { low: 0, title: "%" },
    left: { kind: "names", names: shares.map((each) => each.name) },
    description: isKnown ? shares.map((each) => `${each.name} ${number(100 * each.share)} %`).reverse().join(", ") : say("Not known yet"),
    ...(!isKnown && { missing: say("Not enough trials have a value yet.") }),
  };
}
