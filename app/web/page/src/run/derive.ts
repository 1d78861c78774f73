// SPDX-License-Identifier: Apache-2.0
// Derives a chart's lines from recorded series: in its own unit, as the difference or the ratio of two series, and the
// spans in which each generation trained.
import type { Generation, LineSpec } from "../base/types";
import type { Band, Line } from "../chart/line";
import { bucketAt, type Piece } from "../chart/piece";

export type Reader = (series: string) => readonly Piece[];

/**
 * Combines two series of the same steps, bucket by bucket; a band that they would have together is not known.
 */
function combined(a: Piece, b: Piece | undefined, of: (a: number, b: number) => number): Piece {
  const mean = a.mean.map((value, i) => {
    if (b === undefined) return NaN;
    const same = b.x0[i] === a.x0[i] ? i : Math.min(bucketAt(b, a.x0[i]!), b.mean.length - 1);
    return of(value, b.mean[same] ?? NaN);
  });
  return { ...a, mean, min: mean, max: mean };
}

function scaled(piece: Piece, factor: number): Piece {
  const by = (values: number[]) => values.map((value) => value * factor);
  return { ...piece, min: by(piece.min), max: by(piece.max), mean: by(piece.mean) };
}

export function seriesOf(line: LineSpec): string[] {
  return [line.series, line.minus, line.over].filter((name): name is string => name !== undefined);
}

export function lineOf(spec: LineSpec, read: Reader): Line {
  const other = spec.minus ?? spec.over;
  const of = spec.minus !== undefined ? (a: number, b: number) => a - b : (a: number, b: number) => a / b;
  const factor = spec.factor ?? 1;
  const pieces = read(spec.series).map((piece) => {
    const own = other === undefined ? piece
      : combined(piece, read(other).find((each) => each.generation === piece.generation), of);
    return factor === 1 ? own : scaled(own, factor);
  });
  return { key: other === undefined ? spec.series : `${spec.series} ${spec.minus ? "-" : "/"} ${other}`, look: spec, pieces };
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
