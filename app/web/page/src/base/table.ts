// SPDX-License-Identifier: Apache-2.0
// A table of records, a row each. Its heads sort it by the columns that say how. What does not fit scrolls within the
// table, never the page.
import { type Child, fill, h, Keyed, setAttributes, setText } from "./dom";
import { count } from "./format";
import { say } from "./say";

export interface Column<Row> {
  title: string;
  head?(): Child; // in its place
  cell(row: Row): Child;
  by?(row: Row): number | string; // sorts by it; a number that is NaN stands last
  isNumber?: boolean;
  isWide?: boolean; // text that may run over lines
}

export interface TableOptions<Row> {
  label: string; // for those who do not see it
  key(row: Row): string;
  columns: readonly Column<Row>[];
  none: string; // stands there while there are no rows
  sort?: { column: number; isDown: boolean };
  rowClass?(row: Row): string;
  most?: number; // rows that are shown; a line below says that there are more
}

// Returns whether the cell has this content already, which is then left alone, so that it keeps its focus.
function isThere(cell: HTMLElement, content: Child): boolean {
  const there = cell.childNodes.length === 1 ? cell.firstChild : null;
  if (content instanceof Element) return there instanceof Element && there.outerHTML === content.outerHTML;
  return typeof content === "string" && there instanceof Text && there.data === content;
}

export class Table<Row> {
  readonly element: HTMLElement;
  readonly #body = h("tbody");
  readonly #table: HTMLTableElement;
  readonly #none: HTMLElement;
  readonly #more = h("p.missing", { hidden: true });
  readonly #heads: HTMLTableCellElement[];
  readonly #keyed: Keyed<Row, HTMLTableRowElement>;
  #sort: { column: number; isDown: boolean } | undefined;
  #rows: readonly Row[] = [];

  constructor(readonly options: TableOptions<Row>) {
    this.#sort = options.sort;
    this.#heads = options.columns.map((column, i) => this.#head(column, i));
    this.#none = h("p.missing", { hidden: true }, options.none);
    this.#table = h("table", { "aria-label": options.label }, h("thead", {}, h("tr", {}, ...this.#heads)), this.#body);
    // Focusable, so that keys scroll it; the landmark is the card around it.
    this.element = h("div.scroll", { tabindex: 0, role: "group", "aria-label": options.label }, this.#table, this.#none, this.#more);
    this.#keyed = new Keyed(this.#body, options.key, () => h("tr"), (element, row) => this.#fill(element, row));
  }

  show(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#none.hidden = rows.length > 0;
    this.#table.hidden = rows.length === 0;
    this.#heads.forEach((head, i) => setAttributes(head, {
      "aria-sort": this.#sort?.column === i ? (this.#sort.isDown ? "descending" : "ascending") : null,
    }));
    const most = this.options.most ?? Infinity;
    this.#keyed.set(this.#sorted().slice(0, most));
    this.#more.hidden = rows.length <= most;
    setText(this.#more, say("The first {} of {}. Filter them, or sort them otherwise, to see the others.", count(most), count(rows.length)));
  }

  #sorted(): readonly Row[] {
    const by = this.#sort && this.options.columns[this.#sort.column]?.by;
    if (!this.#sort || !by) return this.#rows;
    const sign = this.#sort.isDown ? -1 : 1;
    return [...this.#rows].sort((a, b) => {
      const [left, right] = [by(a), by(b)];
      if (typeof left === "string" || typeof right === "string") return sign * String(left).localeCompare(String(right), "en", { numeric: true });
      if (Number.isNaN(left) || Number.isNaN(right)) return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
      return sign * (left - right);
    });
  }

  #head(column: Column<Row>, index: number): HTMLTableCellElement {
    const head = h("th", { scope: "col", class: column.isNumber ? "number" : null });
    if (!column.by) {
      fill(head, column.head?.() ?? column.title);
      return head;
    }
    const sort = h("button.sort", { type: "button" }, column.title);
    sort.addEventListener("click", () => {
      // Numbers are sorted from the largest on at first.
      const isSame = this.#sort?.column === index;
      this.#sort = { column: index, isDown: isSame ? !this.#sort!.isDown : Boolean(column.isNumber) };
      this.show(this.#rows);
    });
    head.append(sort);
    return head;
  }

  #fill(element: HTMLTableRowElement, row: Row): void {
    element.className = this.options.rowClass?.(row) ?? "";
    const { columns } = this.options;
    while (element.cells.length < columns.length) element.append(h("td"));
    columns.forEach((column, i) => {
      const cell = element.cells[i]!;
      cell.className = [column.isNumber && "number", column.isWide && "wide"].filter(Boolean).join(" ");
      const content = column.cell(row);
      if (!isThere(cell, content)) fill(cell, content);
    });
  }
}
