// SPDX-License-Identifier: Apache-2.0
// Drawing happens once, before the browser shows its next frame, however often it is asked for.

const waiting = new Set<() => void>();

export function beforeNextFrame(draw: () => void): void {
  if (waiting.size === 0) requestAnimationFrame(run);
  waiting.add(draw);
}

function run(): void {
  const draws = [...waiting];
  waiting.clear();
  for (const draw of draws) draw();
}
