// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, shown } from "../../../../app/web/page/src/records/log_text";

test("a log is what a terminal would show: no colours, and of a progress bar its last state", () => {
  assert.equal(shown("\x1b[31mred\x1b[0m\n10 %\r20 %\r30 %\nend\r\n"), "red\n30 %\nend\n");
});

test("a long log is in blocks, each of whole lines", () => {
  assert.deepEqual(blocksOf("first\nsecond\nthird", 7), ["first\nsecond\n", "third"]);
  assert.deepEqual(blocksOf("first\nsecond\nthird", 6), ["first\n", "second\n", "third"]);
  assert.deepEqual(blocksOf("first\n", 6), ["first\n"]);
  assert.deepEqual(blocksOf("no line ends here", 4), ["no line ends here"]);
  assert.deepEqual(blocksOf("", 4), [""]);
});
