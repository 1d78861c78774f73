// SPDX-License-Identifier: Apache-2.0
// The text of a log on the page, in blocks of lines: as a program prints, the browser lays out the last of them, and not a
// megabyte every second.
import { h, setText } from "../base/dom";
import { blocksOf, shown } from "./log_text";

const blockSize = 16384; // characters

interface Block {
  text: string; // as it was printed
  element: HTMLElement;
}

export class LogBlocks {
  private blocks: Block[] = [];
  private size = 0; // characters

  /** Keeps about `most` characters. */
  constructor(private readonly root: HTMLElement, private readonly most: number) {}

  get isEmpty(): boolean {
    return this.size === 0;
  }

  clear(): void {
    this.blocks = [];
    this.size = 0;
    this.root.replaceChildren();
  }

  /** Adds text at the end. Returns the text that was dropped at the beginning, of which there is too much. */
  append(text: string): string {
    const last = this.blocks.pop();
    last?.element.remove();
    for (const block of this.made((last?.text ?? "") + text)) {
      this.blocks.push(block);
      this.root.append(block.element);
    }
    this.size += text.length;
    let dropped = "";
    while (this.size > this.most && this.blocks.length > 1) {
      const first = this.blocks.shift()!;
      first.element.remove();
      this.size -= first.text.length;
      dropped += first.text;
    }
    if (this.size > this.most) dropped += this.cut(this.blocks[0]!); // a line without an end, such as a progress bar
    return dropped;
  }

  /** Puts text before all there is. */
  prepend(text: string): void {
    const first = this.blocks.shift();
    first?.element.remove();
    const made = this.made(text + (first?.text ?? ""));
    this.blocks.unshift(...made);
    this.root.prepend(...made.map((block) => block.element));
    this.size += text.length;
  }

  private cut(block: Block): string {
    const dropped = block.text.slice(0, -this.most);
    block.text = block.text.slice(-this.most);
    this.size = this.most;
    setText(block.element, shown(block.text));
    return dropped;
  }

  private made(text: string): Block[] {
    return blocksOf(text, blockSize).map((each) => ({ text: each, element: h("div", {}, shown(each)) }));
  }
}
