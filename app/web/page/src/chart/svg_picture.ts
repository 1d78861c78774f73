// SPDX-License-Identifier: Apache-2.0
// A chart as SVG, of the same strokes and words as on its canvas: they are heard while the chart is drawn once more.
import { svg } from "../base/svg";
import type { Colours } from "../base/theme";
import type { ChartFrame } from "./line";
import type { Labelled } from "./save";

const headHeight = 30; // pixels, above the plot
const anchors: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
const baselines: Partial<Record<CanvasTextBaseline, string>> = { top: "text-before-edge", middle: "central", bottom: "text-after-edge" };

const round = (value: number) => Number(value.toFixed(2));

// Hears the calls of a canvas's context that charts make. Places are in the canvas's own pixels.
class Listener {
  readonly root = svg("g");
  private group: SVGElement = this.root;
  private path = "";
  private shift: [x: number, y: number] = [0, 0];
  private readonly saved: { group: SVGElement; shift: [number, number] }[] = [];
  private clips = 0;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  readonly calls: Record<string, (...given: never[]) => void> = {
    clearRect: () => this.root.replaceChildren(),
    save: () => this.saved.push({ group: this.group, shift: this.shift }),
    restore: () => {
      const before = this.saved.pop();
      if (before) ({ group: this.group, shift: this.shift } = before);
    },
    translate: (x: number, y: number) => (this.shift = [this.shift[0] + x, this.shift[1] + y]),
    beginPath: () => (this.path = ""),
    moveTo: (x: number, y: number) => this.to("M", x, y),
    lineTo: (x: number, y: number) => this.to(this.path === "" ? "M" : "L", x, y),
    rect: (x: number, y: number, width: number, height: number) => {
      this.to("M", x, y);
      this.path += `h${round(width)}v${round(height)}h${round(-width)}z`;
    },
    // Charts draw whole circles alone.
    arc: (x: number, y: number, radius: number) => {
      const [r, d] = [round(radius), round(2 * radius)];
      this.to("M", x - radius, y);
      this.path += `a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0 ${-d} 0`;
    },
    clip: () => this.clip(),
    stroke: () => {
      const { strokeStyle, lineWidth, globalAlpha } = this.context;
      const dash = this.context.getLineDash();
      this.add("path", { d: this.path, fill: "none", stroke: String(strokeStyle), "stroke-width": round(lineWidth), "stroke-linejoin": "round",
        ...(globalAlpha < 1 && { "stroke-opacity": round(globalAlpha) }), ...(dash.length > 0 && { "stroke-dasharray": dash.map(round).join(" ") }) });
    },
    fill: () => this.add("path", { d: this.path, ...this.filling() }),
    fillRect: (x: number, y: number, width: number, height: number) =>
      this.add("rect", { x: round(x + this.shift[0]), y: round(y + this.shift[1]), width: round(width), height: round(height), ...this.filling() }),
    fillText: (text: string, x: number, y: number) => {
      const { font, textAlign, textBaseline } = this.context;
      this.add("text", { x: round(x + this.shift[0]), y: round(y + this.shift[1]), "text-anchor": anchors[textAlign] ?? "start",
        "dominant-baseline": baselines[textBaseline] ?? "auto", "font-size": /([\d.]+)px/.exec(font)?.[1] ?? 12, "font-weight": /^(\d+|bold) /.exec(font)?.[1] ?? 400, ...this.filling() }, text);
    },
  };

  private to(letter: string, x: number, y: number): void {
    this.path += `${letter}${round(x + this.shift[0])} ${round(y + this.shift[1])}`;
  }

  private filling(): Record<string, string | number> {
    const { fillStyle, globalAlpha } = this.context;
    return { fill: String(fillStyle), ...(globalAlpha < 1 && { "fill-opacity": round(globalAlpha) }) };
  }

  private add(name: "path" | "rect" | "text", attributes: Record<string, string | number>, text = ""): void {
    if (attributes["d"] !== "") this.group.append(svg(name, attributes, text));
  }

  private clip(): void {
    const id = `clip-${++this.clips}`;
    const inside = svg("g", { "clip-path": `url(#${id})` });
    this.group.append(svg("clipPath", { id }, svg("path", { d: this.path })), inside);
    this.group = inside;
  }
}

// The context has its own calls again when it is drawn.
function heard(context: CanvasRenderingContext2D, draw: () => void): SVGElement {
  const listener = new Listener(context);
  const own = context as unknown as Record<string, unknown>;
  const names = Object.keys(listener.calls);
  for (const name of names) {
    const call = own[name] as (...given: unknown[]) => unknown;
    own[name] = (...given: unknown[]) => {
      (listener.calls[name] as (...given: unknown[]) => void)(...given);
      return call.apply(context, given);
    };
  }
  try {
    draw();
  } finally {
    for (const name of names) delete own[name];
  }
  return listener.root;
}

/** The chart with its title and the names of its lines above it; `draw` draws it on its canvas. */
export function svgPictureOf(context: CanvasRenderingContext2D, frame: ChartFrame, lines: readonly Labelled[], colours: Colours, draw: () => void): string {
  const ratio = devicePixelRatio;
  const { width, height } = context.canvas;
  const word = (text: string, size: number, weight: number, fill: string) => svg("tspan", { dx: 8, "font-size": size, "font-weight": weight, fill }, text);
  const title = svg("text", { x: 4, y: 20 }, word(frame.title, 13, 600, colours.text), word(frame.unit, 11, 400, colours.dim),
    ...lines.map((line) => word(line.label, 11, 400, line.colour)));
  const plot = heard(context, draw);
  plot.setAttribute("transform", `translate(0 ${headHeight}) scale(${1 / ratio})`);
  const [wide, tall] = [round(width / ratio), round(height / ratio + headHeight)];
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, "font-family": getComputedStyle(document.body).fontFamily },
    svg("title", {}, frame.title), svg("rect", { width: wide, height: tall, fill: colours.panel }), title, plot);
  return new XMLSerializer().serializeToString(picture);
}
