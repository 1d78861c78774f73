// SPDX-License-Identifier: Apache-2.0
// The search for runs: words, each of which a run has somewhere, as in the window (app/desktop's RunQuery), or a filter
// as `batchscope ls --where` takes it.

const fields = ["name", "id", "state", "group", "tag", "note"];

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The filter of the trials of a sweep among the runs that pass another one. */
export function whereOfTrials(where: string, sweep: string): string {
  const own = `sweep=${quoted(sweep)}`;
  return where === "" ? own : `(${where}) and ${own}`;
}

/** The filter that the server is asked by. */
export function whereOf(text: string): string {
  if (/[=<>~!()]/.test(text)) return text.trim();
  const words = text.split(/\s+/).filter((word) => word !== "");
  const has = (word: string) => fields.map((field) => `${field}~${quoted(word)}`).join(" or ");
  return words.map((word) => `(${has(word)})`).join(" and ");
}
