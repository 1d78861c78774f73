// SPDX-License-Identifier: Apache-2.0
// The pale area around a line, as the canvas is told of it.
import assert from "node:assert/strict";
import test from "node:test";
import { Columns, mappingOf } from "../../../../app/web/page/src/chart/columns";
import { packed } from "../../../../app/web/page/src/chart/packed";
import { paintLine } from "../../../../app/web/page/src/chart/paint";

type Corner = [x: number, y: number];

// Returns the corners of the area around values so many pixels apart, each of which reaches from 1 below to 1 above.
function areaOf(values: number[], apart: number): Corner[] {
  const columns = new Columns();
  const x = values.map((_, i) => i * apart);
  columns.read(packed({ generation: 0, x0: x, x1: x, min: values.map((value) => value - 1), max: values.map((value) => value + 1), mean: values, count: values.map(() => 1) }),
    mappingOf(0, 1, false, 0, 1), -Infinity, Infinity, 2);
  let path: Corner[] = [];
  const areas: Corner[][] = [];
  const context = {
    beginPath: () => (path = []),
    moveTo: (...corner: Corner) => path.push(corner),
    lineTo: (...corner: Corner) => path.push(corner),
    fill: () => areas.push(path),
    stroke: () => {},
    setLineDash: () => {},
  } as unknown as CanvasRenderingContext2D;
  const stroke = { columns, values: columns.mean.slice(0, columns.size), isGhosted: false };
  paintLine(context, [stroke], { label: "loss", colour: 0 }, { colour: "red", dash: [] }, mappingOf(0, 1, false, 100, -10), 1);
  return areas[0]!.filter(([x, y], i, all) => i === 0 || x !== all[i - 1]![0] || y !== all[i - 1]![1]);
}

const kindOf = ([x0, y0]: Corner, [x1, y1]: Corner) => (x0 === x1 ? "upright" : y0 === y1 ? "level" : "slanted");

test("an area of close columns has upright and level edges, and all that was measured within it", () => {
  const values = Array.from({ length: 50 }, (_, i) => Math.sin(i / 3));
  const area = areaOf(values, 2);
  area.slice(1).forEach((corner, i) => assert.notEqual(kindOf(area[i]!, corner), "slanted"));
  const ys = area.map(([, y]) => y);
  assert.ok(Math.abs(Math.min(...ys) - (100 - 10 * (Math.max(...values) + 1))) <= 2);
  assert.ok(Math.abs(Math.max(...ys) - (100 - 10 * (Math.min(...values) - 1))) <= 2);
  assert.deepEqual([area[0]![0], Math.max(...area.map(([x]) => x))], [0, 98]);
});

test("an area of columns that lie far apart goes straight from one to the next", () => {
  assert.deepEqual(areaOf([0, 5, 0], 10), [[0, 90], [10, 40], [20, 90], [20, 110], [10, 60], [0, 110]]);
});
