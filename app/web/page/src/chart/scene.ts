// SPDX-License-Identifier: Apache-2.0
// The present scene of a chart: its lines by columns of pixels, and the ranges of its vertical axes.
import { Columns, type Mapping, pixelOf } from "./columns";
import type { ChartFrame, Line, LineLook } from "./line";
import type { Ink, Stroke } from "./paint";
import { type Packed, packed } from "./packed";
import type { Piece } from "./piece";
import { smoothed } from "./smooth";
import { ValueRange } from "./value_range";
import type { AxisRange, ViewState } from "./view_state";

export interface Inked {
  line: Line;
  ink: Ink;
}

export interface Drawn extends Inked {
  strokes: Stroke[];
  bands: [low: Stroke, high: Stroke][];
}

export interface Ranges {
  left: [number, number];
  right: [number, number];
  isLog: boolean; // the left one
}

const aboveTop = 0.04; // of the right axis: a line along its fixed end is seen whole
const leastRight = 4; // where the right axis ends at least: it counts few things

// Two pixels show as much of a line as one, in half the time. Of what is measured once in a while every value is drawn.
function columnWidth(look: LineLook): number {
  return look.isSparse ? 0 : 2;
}

export class Scene {
  drawn: Drawn[] = [];
  private left = 0; // of the plot, in pixels
  private right = 0;
  private readonly pool: Columns[] = [];
  private packed = new WeakMap<Piece, Packed>();

  constructor(private readonly frame: ChartFrame, private readonly view: ViewState) {}

  /** Forgets the samples that it has read, as there are others now. */
  forget(): void {
    this.packed = new WeakMap();
  }

  /** The lines as they are at present, in a plot that shows this part of the axis. */
  read(lines: readonly Inked[], across: Mapping, shown: AxisRange): void {
    const { smoothing } = this.view;
    this.left = pixelOf(across, shown.from);
    this.right = pixelOf(across, shown.to);
    let used = 0;
    this.drawn = lines.map(({ line, ink }) => {
      const strength = line.look.isSmoothed ? smoothing : 0;
      const strokesOf = (pieces: readonly Piece[]) => pieces.flatMap((piece): Stroke[] => {
        const columns = (this.pool[used] ??= new Columns());
        columns.read(this.packedOf(piece), across, shown.from, shown.to, columnWidth(line.look));
        if (columns.size === 0) return [];
        ++used;
        const values = smoothed(columns, strength, devicePixelRatio);
        return [{ columns, values, isGhosted: strength > 0 && columns.isFlat }];
      });
      const [low, high] = (line.edges ?? []).map(strokesOf);
      const bands = (low ?? []).flatMap((each, i): [Stroke, Stroke][] => (high?.[i] ? [[each, high[i]]] : []));
      return { line, ink, strokes: strokesOf(line.pieces), bands };
    });
    this.pool.length = used;
  }

  private packedOf(piece: Piece): Packed {
    let known = this.packed.get(piece);
    if (known === undefined) this.packed.set(piece, (known = packed(piece)));
    return known;
  }

  ranges(): Ranges {
    const { frame, view } = this;
    const left = this.values(false);
    if (frame.bound !== undefined) left.addBound(frame.bound);
    const wantsLog = frame.isLogByDefault === true && left.spansDecades();
    const isLog = frame.isLogLog === true || view.log === "log" || (view.log === "auto" && wantsLog);
    const isZoomed = view.shown.from > view.whole.from || view.shown.to < view.whole.to;
    return {
      left: left.range({
        base: frame.base ?? 0,
        isLog,
        isZoomed,
        isFromLowest: this.isFromLowest(false) && this.drawn.length > 0,
      }),
      right: this.rightRange(),
      isLog,
    };
  }

  private rightRange(): [number, number] {
    const isFromLowest = this.isFromLowest(true);
    const [low, high] = this.values(true).range({ base: 0, isLog: false, isZoomed: false, isFromLowest });
    const { rightTop } = this.frame;
    if (rightTop === undefined) return [low, Math.max(high, leastRight)];
    const foot = isFromLowest ? low : 0;
    return [foot, rightTop + aboveTop * (rightTop - foot)];
  }

  // Returns the range of the values in sight: lines are read a little beyond the plot, to where those of few
  // values come from.
  private values(isRight: boolean): ValueRange {
    const range = new ValueRange(!isRight && this.frame.isRobust === true);
    for (const { line, strokes } of this.drawn) {
      if ((line.look.isRight ?? false) !== isRight) continue;
      for (const { columns } of strokes) {
        for (let i = 0; i < columns.size; ++i) {
          const isSeen = columns.x[i]! >= this.left - 1 && columns.x[i]! <= this.right + 1;
          if (!isSeen && !line.look.isSparse) continue;
          range.add(columns.low[i]!, columns.high[i]!, columns.mean[i]!);
        }
      }
    }
    return range;
  }

  // An axis begins at its lowest value where all of its lines ask for it.
  private isFromLowest(isRight: boolean): boolean {
    return this.drawn.every(({ line: { look } }) => (look.isRight ?? false) !== isRight || look.isBound || look.isFromLowest);
  }
}
