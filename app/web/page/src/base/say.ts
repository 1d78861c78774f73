// SPDX-License-Identifier: Apache-2.0
// The page's texts in the language of the interface. They stand in the code in English; for another language the server
// puts their translations into index.html, in a block that no browser carries out (app/web/server/API.md).

const block = globalThis.document?.getElementById("words") ?? null; // node, which runs tests, has no document

const words = block && (JSON.parse(block.textContent!) as Record<string, string>);

/** The language by whose customs dates are written. */
export const locale = block ? document.documentElement.lang : "en-GB";

/**
 * Returns the text in the page's language, with the values in the places of its {}, in their order: say("{} of {} runs", 2, 3).
 * A translation that needs another order numbers its places from 0: "{1} .. {0}". Without values, a {} stays as it is.
 */
export function say(english: string, ...values: (string | number)[]): string {
  const text = words?.[english] ?? english;
  if (values.length === 0) return text;
  let next = 0;
  return text.replace(/\{(\d*)\}/g, (_, place: string) => String(values[place === "" ? next++ : Number(place)]));
}
