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

/** The end of the text that has at most so many characters, from the beginning of a line on. */
export function tail(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.indexOf("\n", text.length - most);
  return from < 0 ? text.slice(-most) : text.slice(from + 1);
}
