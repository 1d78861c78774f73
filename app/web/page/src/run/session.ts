// SPDX-License-Identifier: Apache-2.0
// A run that is looked at: what is recorded of it, what its supervisor says, and its samples, all kept up to date by one
// stream.
import * as api from "../base/api";
import { Signal } from "../base/signal";
import { Stream } from "../base/stream";
import type { Row, RunDetail, RunState, RunStatus } from "../base/types";
import type { ViewState } from "../chart/view_state";
import { SampleStore } from "./samples";

const untilNextTry = 2; // seconds
const rest = 15; // seconds, behind which a run that is only followed is asked for again, as silence is no change

export class RunSession {
  readonly detailChanged = new Signal();
  readonly statusChanged = new Signal();
  readonly failed = new Signal<string>();
  readonly samples: SampleStore;
  detail: RunDetail | null = null;
  status: RunStatus | null = null;
  private stream: Stream | null = null;
  private asking: AbortController | null = null;
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly silence = setInterval(() => {
    if (this.detail?.origin?.followed && !document.hidden) void this.refresh();
  }, 1000 * rest);

  constructor(readonly id: string, readonly view: ViewState) {
    this.samples = new SampleStore(id, view);
    this.samples.failed.listen((message) => this.failed.emit(message));
  }

  start(): void {
    void this.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
    clearInterval(this.silence);
    this.stream?.end();
    this.asking?.abort();
    this.samples.end();
  }

  get state(): RunState | null {
    return this.status?.state ?? this.detail?.run.state ?? null;
  }

  /** Asks for the records again, once more where they change while the answer is on its way. */
  async refresh(): Promise<void> {
    if (this.asking !== null) {
      this.isStale = true;
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    try {
      const detail = await api.run(this.id, asking.signal);
      if (asking.signal.aborted) return;
      this.detail = detail;
      this.status = detail.status ?? null;
      this.stream ??= this.listen(detail.cursor);
      this.detailChanged.emit();
      this.statusChanged.emit();
    } catch (error) {
      if (!asking.signal.aborted) this.fail(error as Error);
    } finally {
      this.asking = null;
      if (this.isStale && !asking.signal.aborted) {
        this.isStale = false;
        void this.refresh();
      }
    }
  }

  // A run that is there is asked for until it answers; from then on the stream says when to ask.
  private fail(error: Error): void {
    this.failed.emit(error.message);
    const isThere = !(error instanceof api.ApiError && error.status === 404);
    if (this.stream === null && isThere) this.timer = setTimeout(() => void this.refresh(), 1000 * untilNextTry);
  }

  private listen(cursor: string): Stream {
    return new Stream(`${api.runPath(this.id)}/stream`, {
      status: (data) => this.hearStatus(data as RunStatus | null),
      samples: (data) => this.samples.add((data as { rows: Row[] }).rows),
      changed: (data) => this.hearChange((data as { what: string[] }).what),
    }, (isAgain) => {
      if (isAgain) void this.refresh();
    }, cursor);
  }

  // Null: the supervisor is gone.
  private hearStatus(status: RunStatus | null): void {
    const isNews = status?.generation !== this.status?.generation || status?.state !== this.status?.state;
    this.status = status;
    this.statusChanged.emit();
    if (isNews && this.detail !== null) void this.refresh();
  }

  // More samples than a stream would bring are asked for again.
  private hearChange(what: readonly string[]): void {
    if (what.includes("samples")) void this.samples.ask();
    if (what.some((each) => each !== "samples")) void this.refresh();
  }
}
