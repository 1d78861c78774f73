// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { shown, tail } from "../../../../app/web/page/src/records/log_text";

test("a log is what a terminal would show: no colours, and of a progress bar its last state", () => {
  assert.equal(shown("\x1b[31mred\x1b[0m\n10 %\r20 %\r30 %\nend\r\n"), "red\n30 %\nend\n");
});

test("of a long log its end is kept, from the beginning of a line on", () => {
  assert.equal(tail("first\nsecond\nthird", 9), "third");
  assert.equal(tail("short", 9), "short");
  assert.equal(tail("no line ends here", 4), "here");
});
