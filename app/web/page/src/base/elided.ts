// SPDX-License-Identifier: Apache-2.0
// A text that is longer than its place ends in "…": whoever points at it is shown the whole.
const told = new WeakSet<HTMLElement>(); // whose title is from here

export function tellElided(): void {
  document.addEventListener("pointerover", ({ target }) => {
    if (!(target instanceof HTMLElement) || getComputedStyle(target).textOverflow !== "ellipsis") return;
    if (target.title !== "" && !told.has(target)) return;
    target.title = target.scrollWidth > target.clientWidth ? target.textContent ?? "" : "";
    told.add(target);
  });
}
