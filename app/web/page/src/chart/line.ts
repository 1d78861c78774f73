// SPDX-License-Identifier: Apache-2.0
// The content of a chart, as data.
import type { Piece } from "./piece";

/** How a line looks, and which of a chart's axes it is of. */
export interface LineLook {
  label: string;
  colour: number; // of Colours.runs
  isSmoothed?: boolean; // noise: smoothing applies, and the line unsmoothed is its ghost
  isStepped?: boolean; // a value holds until the next one, such as a batch size
  isSparse?: boolean; // measured once in a while: a marker at each value, and no holes
  isRight?: boolean; // on the right axis
  isDashed?: boolean;
  isBound?: boolean; // dotted, a limit rather than a measurement
  isFromLowest?: boolean; // its axis begins at the lowest value instead of at the base
  isOff?: boolean; // hidden until the legend shows it
  isBare?: boolean; // one of many: without what lies around it
}

export interface Line {
  key: string; // within the chart
  look: LineLook;
  pieces: readonly Piece[]; // one a generation, so that no line crosses a restart
}

/** A generation's span: where it trained, and with how many replicas. */
export interface Band {
  from: number;
  to: number;
  generation: number;
  replicas: number | null;
  isRestart: boolean;
}

export interface ChartFrame {
  name: string;
  title: string;
  unit: string;
  base?: number; // what the values stand on, where they are above it
  bound?: number; // a constant dotted line
  rightTop?: number; // fixed end of the right axis
  isRobust?: boolean; // single peaks do not stretch the axis
  isLogByDefault?: boolean; // logarithmic where the values span decades, unless a person chooses
}
