// SPDX-License-Identifier: Apache-2.0
// A person's choices, which the browser keeps. Where it keeps nothing, a choice lasts as long as the page.

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    return;
  }
}
