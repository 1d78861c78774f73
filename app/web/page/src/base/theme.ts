// SPDX-License-Identifier: Apache-2.0
// Light, dark or as the system has it, and the series' colours for the colour-blind: two attributes of the root, to which
// style/tokens.css answers. A canvas gets its colours from the same custom properties. Paper is light.
import { keep, kept } from "./kept";
import { Signal } from "./signal";

export type Scheme = "system" | "light" | "dark";

export const themed = new Signal();

const system = matchMedia("(prefers-color-scheme: dark)");

let scheme: Scheme = (["light", "dark"] as const).find((each) => each === kept("scheme")) ?? "system";
let isColourBlind = kept("palette") === "colour-blind";

export const chosenScheme = () => scheme;
export const hasColourBlindPalette = () => isColourBlind;

function apply(isPaper = false): void {
  const isDark = !isPaper && (scheme === "dark" || (scheme === "system" && system.matches));
  document.documentElement.dataset["scheme"] = isDark ? "dark" : "light";
  document.documentElement.dataset["palette"] = isColourBlind ? "colour-blind" : "usual";
  themed.emit();
}

export function startTheme(): void {
  system.addEventListener("change", () => apply());
  addEventListener("beforeprint", () => apply(true));
  addEventListener("afterprint", () => apply());
  apply();
}

export function chooseScheme(chosen: Scheme): void {
  scheme = chosen;
  keep("scheme", chosen);
  apply();
}

export function chooseColourBlind(isOn: boolean): void {
  isColourBlind = isOn;
  keep("palette", isOn ? "colour-blind" : "usual");
  apply();
}

export interface Colours {
  panel: string;
  grid: string;
  text: string;
  dim: string;
  faint: string;
  accent: string;
  selection: string;
  runs: string[]; // of which the first four are those of series
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    panel: of("panel"),
    grid: of("grid"),
    text: of("text"),
    dim: of("dim"),
    faint: of("faint"),
    accent: of("accent"),
    selection: of("selection"),
    runs: Array.from({ length: 10 }, (_, i) => of(`run-${i + 1}`)),
  };
}
