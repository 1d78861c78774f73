// SPDX-License-Identifier: Apache-2.0
// The samples of a run as its charts need them: of the part of the axis that is shown, in as many buckets as there are
// pixels, asked for again when another part is, and continued by what streams in. Rows that stream in while an answer is
// on its way are put behind it; what it already has changes nothing (piece.ts), so nothing is missing or doubled.
import * as api from "../base/api";
import { Signal } from "../base/signal";
import { type Axis, type JsonNumber, type Row, toNumber } from "../base/types";
import { append, emptyPiece, type Piece, pieceOf } from "../chart/piece";
import type { Range, ViewState } from "../chart/view_state";

const patience = 60; // ms, in which a gesture goes on
const margin = 0.25; // of the width, beyond both ends, so that a pan meets samples
const mostKept = 4000; // rows that an answer may not have yet
const coarsest = 1.6; // times the buckets that are wanted, until finer ones are asked for
const nearZero = 0.05; // of the newest: an axis that begins there begins at 0
const mostGrown = 2.5; // times the columns of an answer, until the growing line is asked for in coarser buckets

/**
 * The part of the view state by which samples know the axis that they are looked at on, and report its range.
 */
export type SampleView = Pick<ViewState, "changed" | "axisChanged" | "axis" | "logX" | "shown" | "whole" | "aboveZero" | "isZoomed" | "setWhole">;

// A series that is also an axis comes as the row's place.
function valueOf(row: Row, series: string): JsonNumber | undefined {
  if (series === "step") return row.step;
  return row.values[series] ?? (series === "progress" ? (row.x.progress ?? undefined) : undefined);
}

export class SampleStore {
  readonly changed = new Signal();
  readonly failed = new Signal<string>();
  private series = new Map<string, Piece[]>();
  private wanted: string[] = [];
  private wantedLog: string[] = [];
  private askedLog: readonly string[] = [];
  private columns = 800;
  private recent: Row[] = [];
  private fetched: (Range & { width: number; isOpen: boolean; most: number }) | null = null;
  private asking: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stops: (() => void)[];

  constructor(private readonly id: string, private readonly view: SampleView) {
    this.stops = [
      view.changed.listen(() => this.look()),
      view.axisChanged.listen(() => {
        this.series.clear();
        this.fetched = null;
        this.changed.emit();
        void this.ask();
      }),
    ];
  }

  end(): void {
    for (const stop of this.stops) stop();
    clearTimeout(this.timer);
    this.asking?.abort();
  }

  /** Whether an answer has come, so that what is not here is not recorded. */
  get isKnown(): boolean {
    return this.fetched !== null;
  }

  pieces(series: string): readonly Piece[] {
    return this.series.get(series) ?? [];
  }

  /**
   * Sets which series are wanted, how many pixels wide the widest of their charts is, and which are on an axis that is
   * always logarithmic.
   */
  want(series: readonly string[], columns: number, log: readonly string[] = []): void {
    const names = [...new Set(series)].sort();
    this.wantedLog = names.filter((name) => log.includes(name));
    const isMore = names.some((name) => !this.wanted.includes(name)) || columns > coarsest * this.columns || !this.isLogEnough;
    this.wanted = names;
    this.columns = Math.max(100, Math.min(2000, Math.ceil(columns / 100) * 100));
    if (isMore) void this.ask();
  }

  // The series that a logarithmic axis shows, which spreads its first steps wide.
  private get log(): readonly string[] {
    return this.view.logX ? this.wanted : this.wantedLog;
  }

  private get isLogEnough(): boolean {
    return this.log.every((name) => this.askedLog.includes(name));
  }

  /** Rows of the stream. */
  add(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.recent.push(...rows);
    if (this.recent.length > mostKept) this.recent = this.recent.slice(-mostKept);
    this.append(rows);
    this.changed.emit();
  }

  async ask(): Promise<void> {
    clearTimeout(this.timer);
    this.asking?.abort();
    if (this.wanted.length === 0) return;
    const asking = new AbortController();
    this.asking = asking;
    const { view, log } = this;
    this.askedLog = log;
    const { from, to } = view.shown;
    const by = (to - from) * margin;
    const isOpen = !view.isZoomed || to + by >= view.whole.to;
    const isWhole = !view.isZoomed;
    const columns = Math.ceil(isWhole ? this.columns : this.columns * (1 + 2 * margin));
    const asked = { series: this.wanted, x: view.axis, from: isWhole ? null : from - by, to: isOpen ? null : to + by, columns, log };
    try {
      const answer = await api.samples(this.id, asked, asking.signal);
      if (answer.x !== view.axis) return;
      this.series = new Map(Object.entries(answer.series).map(([name, pieces]) => [name, pieces.map(pieceOf)]));
      const [low = NaN, high = NaN] = answer.range?.map(toNumber) ?? [];
      const start = asked.from ?? low;
      const end = asked.to ?? high;
      const most = mostGrown * columns * (log.length > 0 ? 2 : 1);
      this.fetched = { from: isWhole ? -Infinity : start, to: isOpen ? Infinity : end, isOpen, width: (end - start) / columns || 0, most };
      const aboveZero = toNumber(answer.above_zero);
      this.append(this.recent, low, high, Number.isNaN(aboveZero) ? Infinity : aboveZero);
      this.changed.emit();
    } catch (error) {
      if (!asking.signal.aborted) this.failed.emit((error as Error).message);
    } finally {
      if (this.asking === asking) this.asking = null;
    }
  }

  // Whether what is here still serves what is shown.
  private look(): void {
    const { fetched, view } = this;
    if (fetched === null) return;
    const { from, to } = view.shown;
    const isInside = from >= fetched.from && to <= fetched.to;
    const isFine = fetched.width <= (coarsest * (to - from)) / this.columns;
    if (isInside && isFine && this.isLogEnough) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), patience);
  }

  private append(rows: readonly Row[], low = this.view.whole.from, high = this.view.whole.to, aboveZero = this.view.aboveZero): void {
    const { axis } = this.view;
    const width = this.fetched?.width ?? 0;
    let grown = 0;
    for (const row of rows) {
      const x = this.place(row, axis);
      if (!Number.isFinite(x)) continue;
      low = Number.isFinite(low) ? Math.min(low, x) : x;
      high = Number.isFinite(high) ? Math.max(high, x) : x;
      if (x > 0) aboveZero = Math.min(aboveZero, x);
      if (!this.fetched?.isOpen) continue;
      for (const name of this.wanted) {
        const value = valueOf(row, name);
        if (value === undefined) continue;
        const piece = this.pieceFor(name, row.generation);
        append(piece, x, toNumber(value), width);
        grown = Math.max(grown, piece.x0.length);
      }
    }
    if (Number.isFinite(low) && high > low) this.view.setWhole({ from: low >= 0 && low < nearZero * high ? 0 : low, to: high }, aboveZero);
    if (grown > (this.fetched?.most ?? Infinity) && this.asking === null) void this.ask();
  }

  // A value that comes late has only its step: it stands where that step is.
  private place(row: Row, axis: Axis): number {
    const x = axis === "step" ? row.step : row.x[axis];
    if (x !== null) return x;
    const steps = this.pieces("step").find((piece) => piece.generation === row.generation);
    const at = steps?.mean.findLastIndex((step) => step <= row.step) ?? -1;
    return at < 0 ? NaN : steps!.x1[at]!;
  }

  private pieceFor(name: string, generation: number): Piece {
    let pieces = this.series.get(name);
    if (pieces === undefined) this.series.set(name, (pieces = []));
    const found = pieces.find((piece) => piece.generation === generation);
    if (found !== undefined) return found;
    const made = emptyPiece(generation);
    pieces.push(made);
    pieces.sort((a, b) => a.generation - b.generation);
    return made;
  }
}
