// SPDX-License-Identifier: Apache-2.0
// The part of a logarithmic axis that charts show, and how one moves along it.
import assert from "node:assert/strict";
import test from "node:test";
import { ViewState } from "../../../../app/web/page/src/chart/view_state";

// The address, into which the view writes what is shown.
Object.assign(globalThis, { location: { pathname: "/run/3f9a", search: "" }, history: { state: null, replaceState: () => {} } });

function opened(query: string): ViewState {
  const view = new ViewState(new URLSearchParams(query));
  view.setWhole({ from: 0, to: 10_000 }, 1);
  return view;
}

const rounded = ({ from, to, isLog }: { from: number; to: number; isLog: boolean }) => [Math.round(from), Math.round(to), isLog];

test("a logarithmic axis begins at the first place above zero", () => {
  const view = opened("x=step&logx=1");
  assert.deepEqual(view.axisRange(), { from: 1, to: 10_000, isLog: true });
  view.setWhole({ from: 0, to: 10_000 });
  assert.deepEqual(view.axisRange(), { from: 0, to: 10_000, isLog: false });
});

test("a chart may have one where the others are linear", () => {
  const view = opened("x=step");
  assert.deepEqual(view.axisRange(), { from: 0, to: 10_000, isLog: false });
  assert.deepEqual(view.axisRange(true), { from: 1, to: 10_000, isLog: true });
  assert.equal(Math.round(view.shifted(1, 0.5, true)), 100);
  assert.equal(view.shifted(0, 0.5), 5000);
});

test("zoom and pan go by factors, and stop at the ends", () => {
  const view = opened("x=step&logx=1");
  view.scale(0.5, 100);
  assert.deepEqual(rounded(view.axisRange()), [10, 1000, true]);
  assert.equal(view.follows, false);
  view.pan(0.25);
  assert.deepEqual(rounded(view.axisRange()), [32, 3162, true]);
  view.pan(1);
  assert.deepEqual(rounded(view.axisRange()), [100, 10_000, true]);
  view.pan(-9);
  assert.deepEqual(rounded(view.axisRange()), [1, 100, true]);
  view.scale(100, 10);
  assert.equal(view.isZoomed, false);
});

test("a zoom that follows keeps the ratio of its ends, also in the address and on the way back to a linear axis", () => {
  const view = opened("x=step&logx=1&times=10");
  assert.deepEqual(rounded(view.axisRange()), [1000, 10_000, true]);
  view.setWhole({ from: 0, to: 50_000 }, 1);
  assert.deepEqual(rounded(view.axisRange()), [5000, 50_000, true]);
  assert.equal(view.follows, true);
  view.setLogX(false);
  assert.deepEqual(rounded(view.axisRange()), [5000, 50_000, false]);
  view.setWhole({ from: 0, to: 100_000 }, 1);
  assert.deepEqual(rounded(view.axisRange()), [55_000, 100_000, false]);
});

test("on a linear axis a zoom that follows keeps its width", () => {
  const view = opened("x=step&last=2000");
  view.setWhole({ from: 0, to: 12_000 }, 1);
  assert.deepEqual(rounded(view.axisRange()), [10_000, 12_000, false]);
  view.setLogX(true);
  view.setWhole({ from: 0, to: 24_000 }, 1);
  assert.deepEqual(rounded(view.axisRange()), [20_000, 24_000, true]);
});
