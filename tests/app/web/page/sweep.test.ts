// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Brushes } from "../../../../app/web/page/src/sweep/brushes";
import { bestFigure, importanceFigure, learningCurves } from "../../../../app/web/page/src/sweep/figures";
import { inOrder, mixed } from "../../../../app/web/page/src/sweep/trial_lines";
import {
  bestSoFar, crossing, type Leg, metricAxis, metricText, type Parameter, parameterAxes, ranks, type Sweep, type Trial,
} from "../../../../app/web/page/src/sweep/trials";

function trial(number: number, value: Trial["value"], parameters: Record<string, string>): Trial {
  const shown = { state: "finished", tone: "plain", value: String(value), text: `Trial ${number}` } as const;
  return { trial: number, value, parameters, state: "finished", shown, rung: 0, runs: [], began: 0, ended: 1, device_hours: 1, message: "" };
}

function leg(number: number, rung: number, value: number, ended: number, origin: number | null = null): Leg {
  return { trial: number, rung, value, outcome: "value", iterations: 100 * 3 ** rung, began: 0, ended, device_hours: 1, origin };
}

function sweepOf(trials: Trial[], legs: Leg[] = [], goal: "min" | "max" = "max"): Sweep {
  return {
    sweep: {
      name: "s", state: "finished", metric: "accuracy", goal, created: 10, ended: 20, device_hours: 1, message: "", driven: false,
      share: 1, trials: { done: 3 }, best: trials[0] ?? null,
      shown: { state: "Finished", tone: "plain", done: "3 of 3", best: "", left: "", unit: "%", factor: 100, totals: [] },
    },
    trials,
    legs,
    parameters: [],
    importance: [],
    stop: { kind: "none", unit: "iterations", rungs: [] },
    extends: { trials: true, device_hours: false },
  };
}

const choice = (name: string, ...values: (string | number)[]): Parameter => ({ name, scale: "linear", min: null, max: null, values });

test("ranks go from the worst, 0, to the best, 1, by the goal, and what diverged has none", () => {
  const trials = [trial(0, 0.5, {}), trial(1, "nan", {}), trial(2, 0.9, {}), trial(3, 0.7, {})];
  assert.deepEqual(ranks(sweepOf(trials)), [0, NaN, 1, 0.5]);
  assert.deepEqual(ranks(sweepOf(trials, [], "min")), [1, NaN, 0, 0.5]);
});

test("a parameter that is the same in all trials has no axis; names are in the file's order, few numbers by size", () => {
  const sweep = sweepOf([
    trial(0, 0.5, { lr: "0.1", rule: "linear", epochs: "2", batch: "64" }),
    trial(1, 0.6, { lr: "0.0001", rule: "adascale", epochs: "2", batch: "8" }),
  ]);
  sweep.parameters = [
    { name: "lr", scale: "log", min: 1e-5, max: 1, values: null }, choice("rule", "linear", "adascale"), choice("epochs", 2), choice("batch", 64, 8),
  ];
  const axes = parameterAxes(sweep);
  assert.deepEqual(axes.map((each) => each.name), ["lr", "rule", "batch"]);
  assert.deepEqual([axes[0]!.scale.low, axes[0]!.scale.high], [1e-5, 1]);
  assert.deepEqual(axes[1]!.values, [0, 1]);
  assert.deepEqual(axes[2]!.scale.ticks.map((tick) => tick.label), ["8", "64"]);
  assert.deepEqual(axes[2]!.values, [1, 0]);
});

test("trials of the same name cross its axis side by side, within its part, and those without it nowhere", () => {
  const sweep = sweepOf([trial(0, 0.5, { rule: "linear" }), trial(1, 0.6, { rule: "linear" }), trial(2, 0.7, { rule: "adascale" }), trial(3, null, {})]);
  sweep.parameters = [choice("rule", "linear", "adascale")];
  const [rule] = parameterAxes(sweep);
  const [first, second, third, none] = [0, 1, 2, 3].map((each) => crossing(rule!, each));
  assert.notEqual(first, second);
  assert.ok([first!, second!].every((each) => each > 0 && each < 0.5) && third! > 0.5 && third! < 1);
  assert.ok(Number.isNaN(none));
  assert.equal(crossing(metricAxis(sweep), 0), 0); // a number lies where it is
});

test("a value of the metric is shown in its unit", () => {
  assert.equal(metricText(sweepOf([]), 0.9789), "97.89 %");
  assert.deepEqual(metricAxis(sweepOf([trial(0, 0.5, {}), trial(1, null, {})])).values, [50, NaN]);
});

test("the best so far only gets better, over time and over devices' time", () => {
  const sweep = sweepOf([trial(0, 0.5, {})], [leg(0, 0, 0.5, 14), leg(1, 0, 0.9, 12), leg(2, 0, 0.95, 16)]);
  assert.deepEqual(bestSoFar(sweep, "time").map((each) => [each.at, each.value]), [[2, 0.9], [6, 0.95]]);
  assert.deepEqual(bestSoFar(sweep, "devices").map((each) => each.at), [3600, 3 * 3600]);
  assert.match(bestFigure(sweep, "time").description, /95 %/);
});

test("a trial that took over another one's checkpoint has a gap there, and a line leads from where that one was", () => {
  const trials = [trial(0, 0.9, {}), trial(1, 0.8, {})];
  const sweep = sweepOf(trials, [leg(0, 0, 0.5, 1), leg(1, 0, 0.2, 1), leg(1, 1, 0.8, 2, 0)]);
  const figure = learningCurves(sweep, ranks(sweep));
  assert.equal(figure.series.length, 3);
  assert.deepEqual(figure.series[0]!.points.slice(0, 2).map((point) => point.y), [50, 80]);
  const taken = figure.series.find((each) => each.points.length === 3 && each !== figure.series[0]);
  assert.ok(Number.isNaN(taken!.points[1]!.y));
});

test("of many learning curves the longest and best are lines, and the others dots", () => {
  const trials = Array.from({ length: 200 }, (_, i) => trial(i, i / 200, {}));
  const legs = trials.flatMap(({ trial: each }) => [leg(each, 0, each / 400, each), ...(each >= 50 ? [leg(each, 1, each / 200, 200 + each)] : [])]);
  const sweep = sweepOf(trials, legs);
  sweep.sweep.best = trials[199]!;
  const { series, description } = learningCurves(sweep, ranks(sweep));
  const lines = series.filter((each) => each.mark === "dotted line");
  assert.equal(lines.length, 120);
  assert.match(lines.at(-1)!.points[0]!.text!, /^Trial 199 /);
  assert.match(lines[0]!.points[0]!.text!, /^Trial 80 /);
  assert.equal(series.filter((each) => each.mark === "dots")[0]!.points.length, 50 + 2 * 30);
  assert.match(description, /200 trials/);
});

test("trials are drawn from those that the brushes leave out to the best, and their colours say how good they are", () => {
  const line = (trial: number, rank: number, isKept: boolean) => ({ trial, rank, isKept, isBest: trial === 3, places: [] });
  const lines = [line(0, 0.9, true), line(1, NaN, true), line(2, 0.8, false), line(3, 1, true), line(4, 0.2, true), line(5, NaN, false)];
  assert.deepEqual(inOrder(lines).map((each) => each.trial), [5, 2, 1, 4, 0, 3]);
  assert.equal(mixed("#ffffff", "#2563c9", 0), "#ffffff");
  assert.equal(mixed("#ffffff", "#2563c9", 1), "#2563c9");
  assert.equal(mixed("#000000", "#ff8000", 0.5), "#804000");
});

test("without anything known a figure says so", () => {
  assert.match(importanceFigure(sweepOf([])).missing!, /Not enough/);
  assert.match(bestFigure(sweepOf([]), "time").missing!, /No trial/);
  assert.match(learningCurves(sweepOf([]), []).missing!, /No trial/);
});

test("a brush keeps what lies within it, moves as far as the axis goes, and is taken away by a click", () => {
  const sweep = sweepOf([trial(0, 0, { a: "0" }), trial(1, 1, { a: "1" }), trial(2, 0.5, { a: "10" }), trial(3, 1, {})]);
  sweep.parameters = [{ name: "a", scale: "linear", min: null, max: null, values: null }];
  const axes = parameterAxes(sweep);
  const brushes = new Brushes();
  const kept = () => sweep.trials.map((_, i) => brushes.keeps(axes, i));
  assert.deepEqual(kept(), [true, true, true, true]);
  brushes.set(axes[0]!, { from: 0.2, to: 0 });
  assert.deepEqual(kept(), [true, true, false, false]);
  brushes.move(axes[0]!, 5);
  assert.deepEqual(brushes.at(axes[0]!), { from: 0.8, to: 1 });
  brushes.set(axes[0]!, { from: 0.5, to: 0.5 });
  assert.ok(brushes.isEmpty);
});
