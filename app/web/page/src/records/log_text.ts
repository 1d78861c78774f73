// SPDX-License-Identifier: Apache-2.0
// A program's output as a terminal would show it: without colours, and with only the last state of a line that a
// progress bar writes again and again.

const colours = /\x1b\[[0-9;?]*[A-Za-z]/g;

export function shown(text: string): string {
  return text
    .replace(colours, "")
    .split("\n")
    .map((line) => {
      const states = line.replace(/\r+$/, "").split("\r");
      return states[states.length - 1]!;
    })
    .join("\n");
}

/** Returns the text in parts of about so many characters, each but the last up to the end of a line. */
export function blocksOf(text: string, size: number): string[] {
  const blocks: string[] = [];
  let from = 0;
  while (text.length - from > size) {
    const end = text.indexOf("\n", from + size - 1);
    if (end < 0) break;
    blocks.push(text.slice(from, end + 1));
    from = end + 1;
  }
  return [...blocks, text.slice(from)];
}
