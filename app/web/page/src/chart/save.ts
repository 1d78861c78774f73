// SPDX-License-Identifier: Apache-2.0
// A chart to take along: as a picture, or what it draws as a table or as JSON. All are made here, of what is on the screen.
import type { Colours } from "../base/theme";
import type { Axis } from "../base/types";
import type { ChartFrame, Line } from "./line";

export interface Labelled {
  label: string;
  colour: string;
}

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

interface Row {
  line: string;
  generation: number;
  from: number;
  to: number;
  lowest: number;
  mean: number;
  highest: number;
  samples: number;
}

const rowsOf = (lines: readonly Line[]): Row[] => lines.flatMap((line) => line.pieces.flatMap((piece) => piece.x0.map((from, i) => ({
  line: line.look.label || line.key, generation: piece.generation, from, to: piece.x1[i]!, lowest: piece.min[i]!, mean: piece.mean[i]!, highest: piece.max[i]!, samples: piece.count[i]!,
}))));

/** JSON with an object for each such row; a value that is not finite is a text, as the server has it. */
export function jsonOf(frame: ChartFrame, axis: Axis, lines: readonly Line[]): string {
  const told = (_: string, value: unknown) => (typeof value === "number" && !Number.isFinite(value) ? (Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf") : value);
  return JSON.stringify({ chart: frame.name, title: frame.title, unit: frame.unit, axis, buckets: rowsOf(lines) }, told) + "\n";
}

/** CSV with a row for each bucket of each line, values in the chart's unit. A bucket lies between `from` and `to` on the axis. */
export function tableOf(frame: ChartFrame, axis: Axis, lines: readonly Line[]): string {
  const unit = frame.unit === "" ? "" : ` (${frame.unit})`;
  const head = ["line", "generation", `${axis} from`, `${axis} to`, `lowest${unit}`, `mean${unit}`, `highest${unit}`, "samples"];
  return [head, ...rowsOf(lines).map((row) => Object.values(row))].map((row) => row.map((field) => quoted(String(field))).join(",")).join("\n") + "\n";
}

/** The canvas with the chart's title and the names of its lines above it, as on the screen. */
export function pictureOf(canvas: HTMLCanvasElement, frame: ChartFrame, lines: readonly Labelled[], colours: Colours): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const head = 30 * ratio;
  const picture = document.createElement("canvas");
  picture.width = canvas.width;
  picture.height = canvas.height + head;
  const context = picture.getContext("2d")!;
  const family = getComputedStyle(document.body).fontFamily;
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, picture.width, picture.height);
  let at = 12 * ratio;
  const write = (text: string, size: number, weight: number, colour: string) => {
    context.font = `${weight} ${size * ratio}px ${family}`;
    context.fillStyle = colour;
    context.fillText(text, at, 20 * ratio);
    at += context.measureText(text).width + 8 * ratio;
  };
  write(frame.title, 13, 600, colours.text);
  write(frame.unit, 11, 400, colours.dim);
  for (const line of lines) write(line.label, 11, 400, line.colour);
  context.drawImage(canvas, 0, head);
  return picture;
}

/** Hands a file to the browser, which puts it where it puts downloads. Its name holds letters, digits, dots and dashes. */
export function download(name: string, content: Blob): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(content);
  anchor.download = name.replace(/[^\p{L}\p{N}.-]+/gu, "-").replace(/^[-.]+|-+$/g, "");
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
