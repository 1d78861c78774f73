// SPDX-License-Identifier: Apache-2.0
// A line is drawn by what it has in each column of pixels, and no peak of it is lost.
import assert from "node:assert/strict";
import test from "node:test";
import { Columns, mappingOf, pixelOf } from "../../../../app/web/page/src/chart/columns";
import { packed } from "../../../../app/web/page/src/chart/packed";
import type { Piece } from "../../../../app/web/page/src/chart/piece";
import { smoothed } from "../../../../app/web/page/src/chart/smooth";

function pieceOf(values: number[], x = (i: number) => i): Piece {
  const xs = values.map((_, i) => x(i));
  return { generation: 0, x0: xs, x1: xs, min: values, max: values, mean: values, count: values.map(() => 1) };
}

function read(piece: Piece, pixelsPerX: number, from = -Infinity, to = Infinity, width = 1): Columns {
  const columns = new Columns();
  columns.read(packed(piece), mappingOf(0, 1, false, 0, pixelsPerX), from, to, width);
  return columns;
}

const list = (values: Float64Array, columns: Columns) => [...values.slice(0, columns.size)];

test("ten samples a pixel are a column with their lowest, highest and mean", () => {
  const values = Array.from({ length: 1000 }, (_, i) => (i === 555 ? 9 : 1));
  const columns = read(pieceOf(values), 0.1);
  assert.equal(columns.size, 100);
  assert.equal(Math.max(...list(columns.high, columns)), 9);
  assert.ok(Math.abs(columns.mean[55]! - 1.8) < 1e-12);
  assert.equal(list(columns.count, columns).reduce((sum, count) => sum + count), 1000);
});

test("values have their places on a linear and on a logarithmic axis, whichever way it goes", () => {
  assert.deepEqual([5, 10].map((value) => pixelOf(mappingOf(0, 10, false, 100, -50), value)), [75, 50]);
  const decades = mappingOf(1, 100, true, 10, 40);
  assert.ok(Math.abs(pixelOf(decades, 10) - 30) < 1e-12);
  assert.ok([0, -1, NaN].every((value) => !Number.isFinite(pixelOf(decades, value))));
});

test("only what is in view is read, and one beyond each end", () => {
  const columns = read(pieceOf(Array.from({ length: 100 }, (_, i) => i)), 10, 40, 50);
  assert.equal(columns.mean[0], 39);
  assert.equal(columns.mean[columns.size - 1], 51);
});

test("a value that is not a number has a column of its own", () => {
  const columns = read(pieceOf([1, 1, NaN, 1, 1]), 0.1);
  assert.equal(columns.size, 3);
  assert.ok(Number.isNaN(columns.mean[1]));
});

test("a stretch without samples is a hole, unless few are expected", () => {
  const piece = pieceOf(Array.from({ length: 20 }, () => 1), (i) => (i < 10 ? i : i + 30));
  assert.deepEqual([...read(piece, 2).isAfterHole.slice(0, 20)].indexOf(1), 10);
  assert.ok(!read(piece, 2, -Infinity, Infinity, 0).isAfterHole.slice(0, 20).includes(1));
});

test("on a logarithmic axis the first steps are not holes for lying wide apart, but a stretch without samples is", () => {
  const columns = new Columns();
  const steps = (i: number) => (i < 500 ? i + 1 : i + 300);
  columns.read(packed(pieceOf(Array.from({ length: 1000 }, () => 1), steps)), mappingOf(1, Math.E, true, 0, 100), 1, 2000, 2);
  const holes = [...columns.isAfterHole.slice(0, columns.size)].flatMap((is, i) => (is ? [Math.round(Math.exp(columns.x[i]! / 100))] : []));
  assert.deepEqual(holes, [800]);
});

test("smoothing has no bias at its beginning, and starts anew after what is not a number", () => {
  const columns = read(pieceOf([5, 5, 5, NaN, 2, 2]), 4);
  const values = [...smoothed(columns, 0.9, 1)].map((value) => Number(value.toFixed(9)));
  assert.deepEqual(values, [5, 5, 5, NaN, 2, 2]);
  assert.deepEqual([...smoothed(read(pieceOf([1, 9]), 4), 0, 1)], [1, 9]);
});

test("smoothing depends on pixels, not on how many samples lie in one", () => {
  const wave = (i: number) => Math.sin(i / 40);
  const few = read(pieceOf(Array.from({ length: 300 }, (_, i) => wave(i))), 1);
  const many = read(pieceOf(Array.from({ length: 3000 }, (_, i) => wave(i / 10)), (i) => i / 10), 1);
  const difference = smoothed(few, 0.6, 1)[299]! - smoothed(many, 0.6, 1)[299]!;
  assert.ok(Math.abs(difference) < 0.02, String(difference));
});
