// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { whereOf, whereOfTrials } from "../../../../app/web/page/src/runs/search";

test("words are looked for in all that names a run", () => {
  assert.equal(whereOf(""), "");
  assert.equal(whereOf(" it's "), "(name~'it''s' or id~'it''s' or state~'it''s' or group~'it''s' or tag~'it''s' or note~'it''s')");
  assert.equal(whereOf("digits paper").split(" and ").length, 2);
});

test("the trials of a sweep among what passes", () => {
  assert.equal(whereOfTrials("", "rates"), "sweep='rates'");
  assert.equal(whereOfTrials("a>1 or b=2", "it's"), "(a>1 or b=2) and sweep='it''s'");
});

test("a comparison makes it a filter", () => {
  assert.equal(whereOf(" accuracy>0.97 and age<7d "), "accuracy>0.97 and age<7d");
});
