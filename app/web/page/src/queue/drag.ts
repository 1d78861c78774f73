// SPDX-License-Identifier: Apache-2.0
// Dragging the rows of the queue with a mouse: a line shows between which two a row will be. Fingers and keys have the buttons.

/** Between which rows a run is dropped. */
export type Place = { before: string } | { after: string };

const rowOf = (event: Event) => (event.target as Element).closest<HTMLElement>("tr[draggable=true]");
const runOf = (row: HTMLElement) => row.querySelector<HTMLElement>("[data-run]")!.dataset["run"]!;

/** Moves the rows of a table that are draggable: `drop` is told the run and its new place. */
export function dragRows(table: HTMLElement, drop: (run: string, place: Place) => void): void {
  let dragged: string | null = null;
  let over: HTMLElement | null = null;

  const mark = (row: HTMLElement | null, side = "before") => {
    if (over !== row) over?.removeAttribute("data-drop");
    over = row;
    row?.setAttribute("data-drop", side);
  };
  table.addEventListener("dragstart", (event) => {
    const row = event.target instanceof HTMLTableRowElement ? rowOf(event) : null; // a link within it drags itself
    if (!row) return;
    dragged = runOf(row);
    event.dataTransfer!.effectAllowed = "move";
    event.dataTransfer!.setData("text/plain", dragged); // without data some browsers drag nothing
  });
  table.addEventListener("dragover", (event) => {
    const row = rowOf(event);
    if (dragged === null) return;
    const isPlace = row !== null && runOf(row) !== dragged;
    if (isPlace) {
      event.preventDefault(); // it may be dropped here
      const { top, height } = row.getBoundingClientRect();
      mark(row, event.clientY < top + height / 2 ? "before" : "after");
    } else {
      mark(null);
    }
  });
  table.addEventListener("drop", (event) => {
    if (dragged === null || over === null) return;
    event.preventDefault();
    drop(dragged, over.dataset["drop"] === "before" ? { before: runOf(over) } : { after: runOf(over) });
  });
  table.addEventListener("dragleave", (event) => {
    if (!table.contains(event.relatedTarget as Node | null)) mark(null);
  });
  table.addEventListener("dragend", () => {
    dragged = null;
    mark(null);
  });
}
