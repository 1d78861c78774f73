// SPDX-License-Identifier: Apache-2.0
// Samples that are asked for and samples that stream in become one line, without a gap and without a double.
import assert from "node:assert/strict";
import test from "node:test";
import { append, emptyPiece, firstFrom, nearest, pieceOf } from "../../../../app/web/page/src/chart/piece";

const answered = () => pieceOf({
  generation: 2, x0: [0, 10, 20], x1: [9, 19, 29], min: [1, 2, "nan"], max: [3, 4, "nan"], mean: [2, 3, "nan"], count: [10, 10, 10],
});

test("what an answer has already changes nothing", () => {
  const piece = answered();
  for (const x of [5, 20, 29]) append(piece, x, 7, 0);
  assert.equal(piece.x0.length, 3);
  append(piece, 30, 7, 0);
  append(piece, 30, 7, 0);
  assert.deepEqual(piece.x1, [9, 19, 29, 30]);
});

test("new samples share a bucket while it is narrow", () => {
  const piece = emptyPiece(0);
  [[1, 4], [2, 8], [3, 3], [12, 5]].forEach(([x, value]) => append(piece, x!, value!, 10));
  assert.deepEqual([piece.x0, piece.x1, piece.min, piece.max, piece.mean, piece.count], [[1, 12], [3, 12], [3, 5], [8, 5], [5, 5], [3, 1]]);
});

test("what is not a number stands alone, so that a line breaks there", () => {
  const piece = emptyPiece(0);
  [[1, 4], [2, NaN], [3, 6]].forEach(([x, value]) => append(piece, x!, value!, 10));
  assert.deepEqual(piece.mean, [4, NaN, 6]);
});

test("texts that stand for numbers are read", () => {
  assert.ok(Number.isNaN(answered().mean[2]));
});

test("the bucket at a place, and the nearest one", () => {
  const piece = answered();
  assert.deepEqual([-1, 9, 9.5, 19, 100].map((x) => firstFrom(piece.x1, 3, x)), [0, 0, 1, 1, 3]);
  assert.deepEqual([-5, 9.2, 9.8, 500].map((x) => nearest([piece], x)?.index), [0, 0, 1, 2]);
  assert.equal(nearest([], 3), null);
});

test("a value that holds is that of the bucket before", () => {
  assert.equal(nearest([answered()], 9.8, true)?.index, 0);
});

test("of generations that overlap the newest counts", () => {
  const again = { ...answered(), generation: 3 };
  assert.equal(nearest([answered(), again], 15)?.piece.generation, 3);
});
