// SPDX-License-Identifier: Apache-2.0
// The axis below charts that show several runs: each run has its stretch of it, and the whole is where any of them is.
import type { Range, ViewState } from "../chart/view_state";
import type { SampleView } from "../run/samples";

export class SharedAxis {
  readonly #parts: AxisPart[] = [];

  constructor(readonly view: ViewState) {}

  /** Returns the part for the samples of one more run. */
  part(): AxisPart {
    const part = new AxisPart(this.view, () => this.#join());
    this.#parts.push(part);
    return part;
  }

  remove(part: AxisPart): void {
    this.#parts.splice(this.#parts.indexOf(part), 1);
    this.#join();
  }

  #join(): void {
    const known = this.#parts.map((part) => part.whole).filter((whole) => whole.from < whole.to);
    if (known.length === 0) return;
    const aboveZero = Math.min(...this.#parts.map((part) => part.aboveZero));
    this.view.setWhole({ from: Math.min(...known.map((whole) => whole.from)), to: Math.max(...known.map((whole) => whole.to)) }, aboveZero);
  }
}

export class AxisPart implements SampleView {
  whole: Range = { from: Infinity, to: -Infinity };
  aboveZero = Infinity;

  constructor(private readonly view: ViewState, private readonly joined: () => void) {
    // On another axis everything lies elsewhere.
    this.axisChanged.listen(() => {
      this.whole = { from: Infinity, to: -Infinity };
      this.aboveZero = Infinity;
    });
  }

  get changed() {
    return this.view.changed;
  }

  get axisChanged() {
    return this.view.axisChanged;
  }

  get axis() {
    return this.view.axis;
  }

  get logX() {
    return this.view.logX;
  }

  get shown() {
    return this.view.shown;
  }

  get isZoomed() {
    return this.view.isZoomed;
  }

  setWhole(whole: Range, aboveZero = Infinity): void {
    this.whole = whole;
    this.aboveZero = aboveZero;
    this.joined();
  }
}
