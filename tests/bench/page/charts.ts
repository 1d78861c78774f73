// SPDX-License-Identifier: Apache-2.0
// The charts of bench_page: twelve charts of eight series, each of 2,000 buckets with a lowest and a highest value, looked
// at all at once. `bench` is what it calls.
import { Chart } from "../../../app/web/page/src/chart/chart";
import type { Line } from "../../../app/web/page/src/chart/line";
import { emptyPiece, type Piece } from "../../../app/web/page/src/chart/piece";
import { ViewState } from "../../../app/web/page/src/chart/view_state";

const charts = 12;
const series = 8;
const buckets = 2000;

// Noise of a known seed, so that each measurement draws the same.
let state = 7;
function random(): number {
  state = (1103515245 * state + 12345) % 2147483648;
  return state / 2147483648;
}

function pieces(level: number): Piece[] {
  const generations = 4; // bands, and no line across them
  return Array.from({ length: generations }, (_, generation) => {
    const piece = emptyPiece(generation);
    for (let i = 0; i < buckets / generations; ++i) {
      const x = (generation * buckets) / generations + i;
      const mean = level + Math.sin(x / 150) + 0.2 * (random() - 0.5);
      piece.x0.push(x);
      piece.x1.push(x + 0.9);
      piece.mean.push(mean);
      piece.min.push(mean - 0.3 * random());
      piece.max.push(mean + 0.3 * random());
      piece.count.push(50);
    }
    return piece;
  });
}

const view = new ViewState(new URLSearchParams("smooth=0.6"));
view.setWhole({ from: 0, to: buckets });
const bands = [1, 2, 3, 2].map((replicas, generation) => (
  { from: (generation * buckets) / 4, to: ((generation + 1) * buckets) / 4, generation, replicas, isRestart: generation > 0 }));
const grid = document.createElement("div");
grid.className = "bench-grid";
document.body.append(grid);
const made = Array.from({ length: charts }, (_, i) => {
  const chart = new Chart({ name: `chart-${i}`, title: `Chart ${i + 1}`, unit: "units" }, view);
  const lines = Array.from({ length: series }, (_, colour): Line => (
    { key: `line-${colour}`, look: { label: `line ${colour}`, colour, isSmoothed: true }, pieces: pieces(colour) }));
  grid.append(chart.element);
  chart.setLines(lines, bands);
  return chart;
});

/**
 * Returns the milliseconds from frame to frame, while each of them changes something, and those that the page's script
 * takes for each.
 */
async function frames(count: number, change: (frame: number) => void): Promise<{ frame: number[]; script: number[] }> {
  const times = { frame: [] as number[], script: [] as number[] };
  let before = await nextFrame();
  for (let frame = 0; frame < count; ++frame) {
    let begun = 0;
    requestAnimationFrame(() => (begun = performance.now())); // ahead of what the change asks for
    change(frame);
    const now = await nextFrame();
    times.script.push(performance.now() - begun);
    times.frame.push(now - before);
    before = now;
  }
  return times;
}

const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));

const bench = {
  drawn: () => made.map((chart) => chart.frames),
  // Zooms in and out about a place that wanders.
  zoom: () => frames(60, (frame) => view.scale(frame % 30 < 15 ? 0.93 : 1 / 0.93, buckets * (0.3 + 0.4 * random()))),
  pan: async () => {
    view.show({ from: 0.3 * buckets, to: 0.6 * buckets });
    return frames(60, (frame) => view.pan(frame % 30 < 15 ? 0.02 : -0.02));
  },
  cursor: () => frames(60, (frame) => view.point(buckets * (0.3 + 0.005 * frame))),
};

Object.assign(window, { bench });
