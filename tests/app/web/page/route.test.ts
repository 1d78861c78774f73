// SPDX-License-Identifier: Apache-2.0
// The addresses that people share.
import assert from "node:assert/strict";
import test from "node:test";
import { address, parse, pathOf, withQuery } from "../../../../app/web/page/src/base/route";

test("every view has a path, and every path its view", () => {
  for (const [path, view, id] of [["/", "runs", ""], ["/run/3f9a", "run", "3f9a"], ["/run/3f9a/explorer", "explorer", "3f9a"],
    ["/run/3f9a/scaling", "scaling", "3f9a"], ["/run/3f9a/log", "log", "3f9a"], ["/compare", "compare", ""], ["/queue", "queue", ""], ["/sweeps", "sweeps", ""], ["/trash", "trash", ""],
    ["/sweeps/7c", "sweep", "7c"], ["/lessons", "lessons", ""], ["/lessons/1-gain", "lesson", "1-gain"]] as const) {
    const route = parse(path);
    assert.deepEqual([route.view, route.id, pathOf(route.view, route.id)], [view, id, path]);
  }
});

test("what is not an address is nowhere", () => {
  for (const path of ["/run", "/run/a/b", "/run/a/log/c", "/sweeps/a/b", "/elsewhere"]) assert.equal(parse(path).view, "nowhere");
});

test("an id may be anything, also what is not a proper escape", () => {
  assert.equal(parse(pathOf("run", "a/b?c")).id, "a/b?c");
  assert.equal(parse("/run/%E0%A4%A").id, "%E0%A4%A");
});

test("the query keeps what others have put there", () => {
  const query = withQuery(new URLSearchParams("x=step&where=loss<1"), { from: "3", x: null, y: "" });
  assert.equal(query.toString(), "where=loss%3C1&from=3");
});

test("an address reads as one would write it", () => {
  assert.equal(address("/compare", new URLSearchParams({ runs: "a,b" })), "/compare?runs=a,b");
  assert.equal(address("/", new URLSearchParams()), "/");
});
