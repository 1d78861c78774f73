// SPDX-License-Identifier: Apache-2.0
// A recording: one file with the page and, in a block that no browser carries out, what the server answered about one run
// (`batchscope export --format html`). Where the block is, it answers in the server's place.
import { say } from "./say";
import type { About, Axis, JsonNumber, RunDetail, Samples } from "./types";

type Columns = "x0" | "x1" | "min" | "max" | "mean" | "count";
type Places = { generation: number } & Record<Columns, number>; // of columns among all, each of which is kept once

interface Recording {
  about: About;
  run: RunDetail;
  samples: Record<Axis, Pick<Samples, "range" | "above_zero"> & { series: Record<string, Places[]> }>;
  columns: JsonNumber[][];
  explorer: object;
  scaling: object;
  batch_curves: Record<string, object>; // by the number of replicas
}

const block = globalThis.document?.getElementById("recording") ?? null; // node, which runs tests, has no document

export const isRecording = block !== null;

async function read(): Promise<Recording> {
  if (!("DecompressionStream" in globalThis)) throw new Error(say("This browser is too old for a recording: Chromium 80, Firefox 113 and Safari 16.4 read it."));
  try {
    const bytes = Uint8Array.from(atob(block!.textContent!), (letter) => letter.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return (await new Response(text).json()) as Recording;
  } catch {
    throw new Error(say("This recording is damaged, or not whole. `batchscope export --format html` makes another."));
  }
}

/** Returns all samples of the series, however few columns are asked for: the charts draw what they need of them. */
export function samplesOf(all: Pick<Recording, "samples" | "columns">, asked: URLSearchParams): Samples {
  const x = asked.get("x") as Axis;
  const { range, above_zero, series } = all.samples[x];
  const column = (place: number) => all.columns[place]!;
  const names = (asked.get("series") ?? "").split(",");
  return { x, range, above_zero, series: Object.fromEntries(names.map((name) => [name, (series[name] ?? []).map((places) => ({
    generation: places.generation,
    x0: column(places.x0),
    x1: column(places.x1),
    min: column(places.min),
    max: column(places.max),
    mean: column(places.mean),
    count: column(places.count) as number[],
  }))])) };
}

let reading: Promise<Recording> | null = null;

/** Answers what a GET of this path would. */
export async function recorded(path: string): Promise<unknown> {
  const all = await (reading ??= read());
  const { pathname, searchParams } = new URL(path, "http://recording");
  if (pathname === "/api/about") return all.about;
  switch (pathname.split("/")[4]) { // behind /api/runs/ID
    case undefined:
      return all.run;
    case "samples":
      return samplesOf(all, searchParams);
    case "scaling":
      return all.scaling;
    case "explorer": {
      const curve = all.batch_curves[searchParams.get("replicas") ?? ""];
      return curve ? { ...all.explorer, batch_curve: curve } : all.explorer;
    }
    default:
      throw new Error(say("A recording does not hold this."));
  }
}
