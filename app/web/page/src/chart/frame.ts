// SPDX-License-Identifier: Apache-2.0
// What is to be drawn is drawn once, before the browser shows its next frame.

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
