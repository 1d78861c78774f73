// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedAxis } from "../../../../app/web/page/src/compare/shared_axis";
import { differences } from "../../../../app/web/page/src/compare/differences";
import { ViewState } from "../../../../app/web/page/src/chart/view_state";

test("runs differ where a value is another one, or is not there; numbers are compared as numbers", () => {
  const found = differences([{ lr: "0.1", seed: "1", rule: "linear" }, { lr: "1e-1", seed: "2" }]);
  assert.deepEqual(found.map(({ name, isDifferent }) => [name, isDifferent]), [["lr", false], ["rule", true], ["seed", true]]);
  assert.deepEqual(found[1]!.values, ["linear", undefined]);
});

test("an empty value is not the number 0", () => {
  assert.ok(differences([{ data: "" }, { data: "0" }])[0]!.isDifferent);
});

test("the axis of several runs goes from where the first begins to where the last ends", () => {
  const view = new ViewState(new URLSearchParams());
  const axis = new SharedAxis(view);
  const [a, b] = [axis.part(), axis.part()];
  a.setWhole({ from: 0, to: 10 });
  b.setWhole({ from: 5, to: 30 });
  assert.deepEqual(view.whole, { from: 0, to: 30 });
  a.setWhole({ from: 0, to: 40 });
  assert.deepEqual(view.whole, { from: 0, to: 40 });
  axis.remove(a);
  assert.deepEqual(view.whole, { from: 5, to: 30 });
});
