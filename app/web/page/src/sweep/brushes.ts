// SPDX-License-Identifier: Apache-2.0
// Brushing: on any axis a person marks a stretch, and what lies within all of them is looked at. What has no value on an
// axis lies in no stretch of it.
import type { TrialAxis } from "./trials";

/** Along an axis, 0 to 1. */
export interface Stretch {
  from: number;
  to: number;
}

const least = 0.02; // a shorter drag is a click

export class Brushes {
  #stretches = new Map<string, Stretch>(); // by the axis' name

  get isEmpty(): boolean {
    return this.#stretches.size === 0;
  }

  at(axis: TrialAxis): Stretch | undefined {
    return this.#stretches.get(axis.name);
  }

  /** None, or one too short to be meant, takes the axis' brush away. */
  set(axis: TrialAxis, stretch?: Stretch): void {
    const from = Math.max(0, Math.min(stretch?.from ?? 0, stretch?.to ?? 0));
    const to = Math.min(1, Math.max(stretch?.from ?? 0, stretch?.to ?? 0));
    if (to - from < least) this.#stretches.delete(axis.name);
    else this.#stretches.set(axis.name, { from, to });
  }

  /**
   * Moves by a part of the axis, as far as it goes; a brush that is not there yet begins as the half on that
   * side.
   */
  move(axis: TrialAxis, by: number): void {
    const now = this.at(axis);
    if (!now) return this.set(axis, by > 0 ? { from: 0.5, to: 1 } : { from: 0, to: 0.5 });
    const step = Math.max(-now.from, Math.min(1 - now.to, by));
    this.set(axis, { from: now.from + step, to: now.to + step });
  }

  widen(axis: TrialAxis, by: number): void {
    const now = this.at(axis);
    if (now && now.to - now.from + 2 * by >= least) this.set(axis, { from: now.from - by, to: now.to + by });
  }

  clear(): void {
    this.#stretches.clear();
  }

  keeps(axes: readonly TrialAxis[], trial: number): boolean {
    return axes.every((axis) => {
      const stretch = this.at(axis);
      if (!stretch) return true;
      const place = axis.scale.at(axis.values[trial]!);
      return place >= stretch.from && place <= stretch.to;
    });
  }
}
