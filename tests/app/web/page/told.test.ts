// SPDX-License-Identifier: Apache-2.0
// Figures that the server makes become those that the page draws.
import assert from "node:assert/strict";
import { test } from "node:test";
import { figureOf, type ToldFigure } from "../../../../app/web/page/src/figure/told";

const empty: ToldFigure = { bottom: { kind: "linear" }, left: { kind: "linear" }, series: [], isEmpty: true };

test("a figure without anything says what is missing", () => {
  assert.equal(figureOf({ ...empty, missing: "No model yet." }).missing, "No model yet.");
  assert.equal(figureOf({ ...empty, isEmpty: false }).missing, undefined);
});

test("marks, colours and gaps are those that were told", () => {
  const { series, bottom } = figureOf({
    ...empty,
    isEmpty: false,
    bottom: { kind: "logarithmic", title: "batch size" },
    series: [
      { ink: ["series", 1, 1], mark: "dashed", size: 1.6, points: [{ x: 1, y: 2 }, { x: null, y: 3, text: "a" }] },
      { ink: ["run", 11, 0.5], mark: "rings", size: 12, points: [] },
    ],
  });
  assert.deepEqual([bottom.kind, bottom.title], ["log", "batch size"]);
  assert.deepEqual([series[0]!.colour, series[0]!.mark, series[0]!.dash, series[0]!.points[1]!.x, series[0]!.points[1]!.text], ["var(--series-2)", "line", "5 4", NaN, "a"]);
  assert.deepEqual([series[1]!.colour, series[1]!.mark, series[1]!.size, series[1]!.opacity], ["var(--run-2)", "rings", 6, 0.5]);
});

test("the parts of a bar lie behind one another, with the bar's words, and one without length is not drawn", () => {
  const { left, series } = figureOf({
    ...empty,
    isEmpty: false,
    left: { kind: "linear", ticks: [{ value: 0, label: "first" }, { value: 1, label: "second" }] },
    bars: [{ name: "stop", ink: ["run", 0, 1], values: [1, 0] }, { name: "launch", ink: ["run", 1, 1], values: [2, 3] }],
    barTexts: ["one", "two"],
  });
  assert.deepEqual([left.kind, left.names], ["names", ["first", "second"]]);
  assert.deepEqual(series.map((part) => part.points.map(({ x, to, y, text }) => [x, to, y, text])),
    [[[0, 1, 0, "one"]], [[1, 3, 0, "one"], [0, 3, 1, "two"]]]);
});

test("a cell that cannot be seen can still be pointed at", () => {
  const { cells } = figureOf({ ...empty, isEmpty: false, cells: [{ x: 0, y: 1, width: 2, height: 1, ink: ["dim", 0, 0], text: "here" }] });
  assert.deepEqual(cells, [{ x: 0, y: 1, width: 2, height: 1, colour: "var(--dim)", opacity: 0, text: "here" }]);
});
