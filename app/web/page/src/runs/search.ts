// SPDX-License-Identifier: Apache-2.0
// The search for runs: words, each of which a run has somewhere, as in the window (app/desktop's RunQuery), or a filter
// as `batchscope ls --where` takes it.

const fields = ["name", "id", "state", "group", "tag", "note"];

/** The filter that the server is asked by. */
export function whereOf(text: string): string {
  if (/[=<>~!()]/.test(text)) return text.trim();
  const words = text.split(/\s+/).filter((word) => word !== "");
  const has = (word: string) => fields.map((field) => `${field}~'${word.replaceAll("'", "''")}'`).join(" or ");
  return words.map((word) => `(${has(word)})`).join(" and ");
}
