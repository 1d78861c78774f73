// SPDX-License-Identifier: Apache-2.0
// The differences of runs in their hyperparameters.

export interface Difference {
  name: string;
  values: (string | undefined)[]; // of each run; undefined where it has none of that name
  isDifferent: boolean;
}

/**
 * Compares all names that any of them has, in alphabetical order. Numbers that are equal are the same,
 * however they are written.
 */
export function differences(runs: readonly Record<string, string>[]): Difference[] {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run)))].sort();
  return names.map((name) => {
    const values = runs.map((run) => run[name]);
    return { name, values, isDifferent: values.some((value) => !isSame(value, values[0])) };
  });
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (!a?.trim() || !b?.trim()) return false;
  return Number(a) === Number(b);
}
