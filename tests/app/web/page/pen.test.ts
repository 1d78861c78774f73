// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { Pen } from "../../../../app/web/page/src/chart/pen";

function drawn(points: [number, number][]): [number, number][] {
  const corners: [number, number][] = [];
  const path = { moveTo: (x: number, y: number) => corners.push([x, y]), lineTo: (x: number, y: number) => corners.push([x, y]) };
  const pen = new Pen(path);
  points.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
  pen.end();
  return corners;
}

test("a straight line has two ends, and a corner stays", () => {
  assert.deepEqual(drawn([[0, 0], [1, 1], [2, 2], [3, 3]]), [[0, 0], [3, 3]]);
  assert.deepEqual(drawn([[0, 0], [1, 1], [2, 2], [3, 1], [4, 0]]), [[0, 0], [2, 2], [4, 0]]);
  assert.deepEqual(drawn([[0, 0]]), [[0, 0]]);
});

test("what is drawn passes each point within half a pixel", () => {
  const points = Array.from({ length: 600 }, (_, i): [number, number] => [2 * i, 40 * Math.sin(i / 30) + 3 * Math.sin(i * 1.7)]);
  const corners = drawn(points);
  for (const [x, y] of points) {
    const end = Math.max(1, corners.findIndex((corner) => corner[0] >= x));
    const [[x0, y0], [x1, y1]] = [corners[end - 1]!, corners[end]!];
    assert.ok(Math.abs(y0 + ((y1 - y0) * (x - x0)) / (x1 - x0) - y) <= 0.41, `at ${x}`);
  }
  const smooth = drawn(points.map(([x]): [number, number] => [x, 40 * Math.sin(x / 60)]));
  assert.ok(smooth.length < 300, String(smooth.length));
});
