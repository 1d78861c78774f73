// SPDX-License-Identifier: Apache-2.0
// Elements in a line each. Text comes in as text and never as HTML, so that a run may be called anything.

export type Child = Node | string | null | undefined | false;

type Attributes = Record<string, string | number | boolean | null | undefined>;

/**
 * `h("a.row.is-open", {href}, "name")`: the tag with its classes, the attributes, what is in it. An attribute of false,
 * null or undefined is left out, and true is one without a value.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name as K);
  if (classes.length > 0) element.className = classes.join(" ");
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function present(children: Child[]): (Node | string)[] {
  return children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false);
}

/** Replaces all that was in the element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...present(children));
}

/** Sets the text where it has changed, so that nothing is drawn anew, or read out again, without need. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns the text with a child in each place of its {}: around(say("some in {}."), link). */
export function around(text: string, ...children: Child[]): Child[] {
  return text.split("{}").flatMap((part, i) => (i === 0 ? [part] : [children[i - 1], part]));
}

export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = h("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Keeps an element for each key, in the order of the keys, so that what has focus keeps it. */
export class Keyed<T, E extends Element> {
  private elements = new Map<string, E>();

  constructor(
    private readonly parent: Element,
    private readonly key: (item: T) => string,
    private readonly make: (item: T) => E,
    private readonly update: (element: E, item: T) => void,
  ) {}

  set(items: readonly T[]): void {
    const old = this.elements;
    this.elements = new Map();
    let before: Element | null = this.parent.firstElementChild;
    for (const item of items) {
      const key = this.key(item);
      const element = old.get(key) ?? this.make(item);
      old.delete(key);
      this.update(element, item);
      this.elements.set(key, element);
      if (element === before) before = before.nextElementSibling;
      else this.parent.insertBefore(element, before);
    }
    for (const gone of old.values()) gone.remove();
  }
}
