// SPDX-License-Identifier: Apache-2.0
// The runs that are compared: what is recorded of each, its samples, and one stream that keeps all of them up to date.
import * as api from "../base/api";
import { Signal } from "../base/signal";
import { Stream } from "../base/stream";
import type { Row, RunDetail, RunState, RunStatus } from "../base/types";
import type { ViewState } from "../chart/view_state";
import { SampleStore } from "../run/samples";
import { type AxisPart, SharedAxis } from "./shared_axis";

export const mostCompared = 10; // as many colours as are told apart

export class ComparedRun {
  detail: RunDetail | null = null;
  status: RunStatus | null = null;
  failure = "";
  isUnknown = false; // to the server, which has no stream for it

  constructor(readonly id: string, readonly samples: SampleStore, readonly part: AxisPart) {}

  get name(): string {
    return this.detail?.run.name || this.id;
  }

  get state(): RunState | null {
    return this.status?.state ?? this.detail?.run.state ?? null;
  }
}

export class Compared {
  readonly changed = new Signal(); // which runs, or what is recorded of them
  readonly samplesChanged = new Signal();
  runs: ComparedRun[] = [];
  #axis: SharedAxis;
  #stream: Stream | null = null;

  constructor(view: ViewState) {
    this.#axis = new SharedAxis(view);
  }

  /** These runs, in the order of their colours. */
  set(ids: readonly string[]): void {
    const wanted = [...new Set(ids)].slice(0, mostCompared);
    for (const gone of this.runs.filter((run) => !wanted.includes(run.id))) {
      gone.samples.end();
      this.#axis.remove(gone.part);
    }
    this.runs = wanted.map((id) => this.runs.find((run) => run.id === id) ?? this.#begin(id));
    this.#connect();
    this.changed.emit();
  }

  end(): void {
    this.#stream?.end();
    for (const run of this.runs) run.samples.end();
  }

  #connect(): void {
    this.#stream?.end();
    const known = this.runs.filter((run) => !run.isUnknown).map((run) => encodeURIComponent(run.id));
    this.#stream = known.length === 0 ? null : new Stream(`/api/stream?runs=${known.join(",")}`, {
      status: (data) => this.#of(data, (run) => (run.status = data === null || "gone" in (data as object) ? null : (data as RunStatus))),
      samples: (data) => this.#of(data, (run) => run.samples.add((data as { rows: Row[] }).rows)),
      changed: (data) => this.#of(data, (run) => void this.#read(run)),
    }, () => {
      // Changes without a connection were not received.
      for (const run of this.runs) {
        void this.#read(run);
        void run.samples.ask();
      }
    });
  }

  // Null: for a single run the stream reports the loss of its supervisor in this way (API.md).
  #of(data: unknown, act: (run: ComparedRun) => void): void {
    const run = data === null ? this.runs[0] : this.runs.find((each) => each.id === (data as { run?: string }).run);
    if (run) act(run);
  }

  #begin(id: string): ComparedRun {
    const part = this.#axis.part();
    const run = new ComparedRun(id, new SampleStore(id, part), part);
    run.samples.changed.listen(() => this.samplesChanged.emit());
    run.samples.failed.listen((message) => this.#fail(run, message));
    void this.#read(run);
    return run;
  }

  async #read(run: ComparedRun): Promise<void> {
    try {
      run.detail = await api.run(run.id);
      run.status = run.detail.status;
      run.failure = "";
      this.changed.emit();
    } catch (error) {
      this.#fail(run, (error as Error).message);
      if (!(error instanceof api.ApiError) || error.status !== 404 || run.isUnknown) return;
      run.isUnknown = true;
      if (this.runs.includes(run)) this.#connect();
    }
  }

  #fail(run: ComparedRun, message: string): void {
    run.failure = message;
    this.changed.emit();
  }
}
