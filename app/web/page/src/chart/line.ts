// SPDX-License-Identifier: Apache-2.0
// The content of a chart, as data.
import type { ChartSpec, LineSpec } from "../base/types";
import type { Piece } from "./piece";

/** How a line looks, and which of a chart's axes it is of. */
export interface LineLook extends Omit<LineSpec, "series" | "factor" | "isMain"> {
  isBare?: boolean; // one of many: without what lies around it
}

export type ChartFrame = Omit<ChartSpec, "lines" | "isUsual">;

export interface Line {
  key: string; // within the chart
  look: LineLook;
  pieces: readonly Piece[]; // one a generation, so that no line crosses a restart
  edges?: readonly [readonly Piece[], readonly Piece[]]; // the lower and the upper one of a band around it
}

/** A generation's span: where it trained, and with how many replicas. */
export interface Band {
  from: number;
  to: number;
  generation: number;
  replicas: number | null;
  isRestart: boolean;
}
