// SPDX-License-Identifier: Apache-2.0
// The lines of a chart in its own unit, from the series that it draws, and the spans in which each generation trained.
import { say } from "../base/say";
import { type Generation, isActive, type LineSpec, type RunState } from "../base/types";
import type { Band, Line } from "../chart/line";
import type { Piece } from "../chart/piece";

export type Reader = (series: string) => readonly Piece[];

function scaled(piece: Piece, factor: number): Piece {
  const by = (values: number[]) => values.map((value) => value * factor);
  return { ...piece, min: by(piece.min), max: by(piece.max), mean: by(piece.mean) };
}

export function lineOf(spec: LineSpec, read: Reader): Line {
  const factor = spec.factor ?? 1;
  const inUnit = (series: string) => (factor === 1 ? [...read(series)] : read(series).map((piece) => scaled(piece, factor)));
  const edges = spec.band && { edges: [inUnit(spec.band[0]), inUnit(spec.band[1])] as [Piece[], Piece[]] };
  return { key: spec.series, look: spec, pieces: inUnit(spec.series), ...edges };
}

/** Returns the text of a chart for which the run has recorded nothing. */
export function emptyText(state: RunState, steps: number): string {
  if (isActive(state) || state === "paused" || state === "pending") return say("Nothing recorded yet");
  return steps > 0 ? say("Not recorded in this run") : say("Ended before its first step");
}

/**
 * Returns the bands from the first sample of a generation, of whichever series, to that of the next, or to
 * the newest.
 */
export function bandsOf(series: readonly string[], read: Reader, generations: readonly Generation[]): Band[] {
  const spans = new Map<number, { from: number; to: number }>();
  for (const piece of series.flatMap((name) => [...read(name)])) {
    if (piece.x0.length === 0) continue;
    const from = piece.x0[0]!;
    const to = piece.x1.at(-1)!;
    const span = spans.get(piece.generation);
    spans.set(piece.generation, { from: Math.min(from, span?.from ?? from), to: Math.max(to, span?.to ?? to) });
  }
  const numbers = [...spans.keys()].sort((a, b) => a - b);
  return numbers.map((number, i) => {
    const next = spans.get(numbers[i + 1] ?? -1);
    return {
      from: spans.get(number)!.from,
      to: next?.from ?? spans.get(number)!.to,
      generation: number,
      replicas: generations.find((each) => each.number === number)?.replicas ?? null,
      isRestart: number > 0,
    };
  });
}
