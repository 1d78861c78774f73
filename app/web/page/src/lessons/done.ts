// SPDX-License-Identifier: Apache-2.0
// The lessons that a person has done, which the browser keeps.
import { keep, kept } from "../base/kept";

const place = "lessons-done";

export const doneLessons = (): string[] => (kept(place) ?? "").split(",").filter((name) => name !== "");

export function markDone(name: string): void {
  const done = doneLessons();
  if (!done.includes(name)) keep(place, [...done, name].join(","));
}
