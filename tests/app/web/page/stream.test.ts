// SPDX-License-Identifier: Apache-2.0
// A stream that breaks, or rests while nobody looks, goes on where it was.
import assert from "node:assert/strict";
import test from "node:test";

const listeners = new Set<() => void>();
const page = {
  hidden: false,
  documentElement: { dataset: {} as Record<string, string> },
  getElementById: () => null,
  addEventListener: (_name: string, heard: () => void) => listeners.add(heard),
  removeEventListener: (_name: string, heard: () => void) => listeners.delete(heard),
};

class Source {
  static all: Source[] = [];
  readonly heard = new Map<string, (event: object) => void>();
  isClosed = false;

  constructor(readonly path: string) {
    Source.all.push(this);
  }

  addEventListener(name: string, heard: (event: object) => void): void {
    this.heard.set(name, heard);
  }

  emit(name: string, event: object = {}): void {
    this.heard.get(name)?.(event);
  }

  close(): void {
    this.isClosed = true;
  }
}

// Waits until somebody lets the time pass.
const waits: { act: () => void; after: number }[] = [];
const setTimeout = (act: () => void, after: number) => waits.push({ act, after });

// The work of each second, and the clock on the wall.
let watch = () => {};
let now = 1_000_000;
Date.now = () => now;
const setInterval = (act: () => void) => (watch = act);

Object.assign(globalThis, { document: page, EventSource: Source, setTimeout, clearTimeout: () => {}, setInterval, clearInterval: () => (watch = () => {}) });

function wait(seconds: number): void {
  now += 1000 * seconds;
  watch();
}

function pass(): number {
  const { act, after } = waits.pop()!;
  act();
  return after;
}

function look(isHidden: boolean): void {
  page.hidden = isHidden;
  for (const heard of listeners) heard();
}

test("it asks again behind the last event that it heard", async () => {
  const { Stream } = await import("../../../../app/web/page/src/base/stream");
  const heard: unknown[] = [];
  const opened: boolean[] = [];
  const stream = new Stream("/api/runs/3f9a/stream", { samples: (data) => heard.push(data) }, (isAgain) => opened.push(isAgain));
  const connection = () => page.documentElement.dataset["connection"];

  Source.all[0]!.emit("open");
  Source.all[0]!.emit("samples", { data: '{"rows":[]}', lastEventId: "a&7" });
  assert.equal(connection(), "live");

  Source.all[0]!.emit("error");
  assert.equal(connection(), "lost");
  assert.ok(Source.all[0]!.isClosed);
  const first = pass();
  assert.equal(Source.all[1]!.path, "/api/runs/3f9a/stream?after=a%267");
  Source.all[1]!.emit("error");
  assert.ok(pass() > first);
  Source.all[2]!.emit("open");
  assert.equal(connection(), "live");

  look(true);
  assert.ok(Source.all[2]!.isClosed);
  assert.equal(connection(), "idle");
  look(false);
  assert.equal(Source.all[3]!.path, "/api/runs/3f9a/stream?after=a%267");
  Source.all[3]!.emit("open");
  assert.deepEqual([heard.length, opened], [1, [false, true, true]]);

  stream.end();
  assert.equal(listeners.size, 0);
});

test("a connection that says nothing for longer than the server's beat is replaced, and says so", async () => {
  const { Stream, unheard } = await import("../../../../app/web/page/src/base/stream");
  const first = Source.all.length;
  const silences: number[] = [];
  const stop = unheard.listen((seconds) => silences.push(seconds));
  const stream = new Stream("/api/changes", { changed: () => {} });
  const connection = () => page.documentElement.dataset["connection"];
  const source = (index: number) => Source.all[first + index]!;

  source(0).emit("open");
  for (let beats = 0; beats < 5; ++beats) {
    wait(4);
    source(0).emit("beat", { data: "{}", lastEventId: "" });
  }
  assert.equal(connection(), "live");
  wait(9);
  assert.deepEqual([connection(), silences], ["live", []]);
  wait(1);
  assert.ok(source(0).isClosed);
  assert.deepEqual([connection(), silences], ["silent", [10]]);

  wait(1);
  assert.ok(!source(1).isClosed); // it has its time to come about
  wait(9);
  assert.ok(source(1).isClosed);
  assert.deepEqual([connection(), silences], ["silent", [10, 20]]);
  source(2).emit("open");
  assert.deepEqual([connection(), silences], ["live", [10, 20, 0]]);

  // A laptop has slept: its clock goes on, and the first look behind it replaces the connection.
  wait(3600);
  assert.ok(source(2).isClosed);
  source(3).emit("open");
  look(true);
  wait(3600);
  assert.equal(connection(), "idle");
  assert.deepEqual(silences, [10, 20, 0, 3600, 0]);
  stream.end();
  stop();
});
