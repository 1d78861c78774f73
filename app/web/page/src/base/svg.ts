// SPDX-License-Identifier: Apache-2.0
// Elements of SVG.

const namespace = "http://www.w3.org/2000/svg";

/** Children that are text become the element's text, never markup. */
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Returns the path of a polyline through these points, in pixels; a point that is not a number is a gap. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  let path = "";
  let isDrawn = false;
  for (const [x, y] of points) {
    const isPoint = Number.isFinite(x) && Number.isFinite(y);
    if (isPoint) path += `${isDrawn ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    isDrawn = isPoint;
  }
  return path;
}
