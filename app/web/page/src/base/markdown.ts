// SPDX-License-Identifier: Apache-2.0
// The Markdown of lessons as elements: paragraphs, quotes, lists and tables, with bold, emphasised and literal words. All
// else is text, and comes in as text.
import { type Child, h } from "./dom";

const words = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`/g;

function inline(text: string): Child[] {
  const parts: Child[] = [];
  let done = 0;
  for (const found of text.matchAll(words)) {
    const [whole, bold, emphasis, literal] = found;
    parts.push(text.slice(done, found.index));
    if (bold !== undefined) parts.push(h("strong", {}, ...inline(bold)));
    else if (emphasis !== undefined) parts.push(h("em", {}, ...inline(emphasis)));
    else parts.push(h("code", {}, literal!));
    done = found.index! + whole.length;
  }
  parts.push(text.slice(done));
  return parts.filter((part) => part !== "");
}

function list(lines: readonly string[]): HTMLElement {
  const items: string[] = [];
  for (const line of lines) {
    if (line.startsWith("- ")) items.push(line.slice(2));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h("ul.plain", {}, ...items.map((item) => h("li", {}, ...inline(item))));
}

function table([head, , ...rows]: readonly string[]): HTMLElement {
  const cells = (line: string) => line.replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()));
  return h("table", {}, h("thead", {}, h("tr", {}, ...cells(head!).map((cell) => h("th", { scope: "col" }, ...cell)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...cells(row).map((cell) => h("td", {}, ...cell))))));
}

/** Returns an element for each block; an empty line ends a block. */
export function markdown(text: string): HTMLElement[] {
  const blocks = text.split(/\n\s*\n/).map((block) => block.split("\n").filter((line) => line.trim() !== ""));
  return blocks.filter((lines) => lines.length > 0).map((lines) => {
    const first = lines[0]!;
    if (first.startsWith("> ")) return h("blockquote", {}, ...inline(lines.map((line) => line.replace(/^> ?/, "")).join(" ")));
    if (first.startsWith("- ")) return list(lines);
    if (first.startsWith("|")) return table(lines);
    return h("p", {}, ...inline(lines.join(" ")));
  });
}
