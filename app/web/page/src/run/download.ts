// SPDX-License-Identifier: Apache-2.0
// The dialog for saving files of a run: its record, in the forms in which `batchscope export` writes it, and
// from the log's view its logs.
import { runPath } from "../base/api";
import { button, type Child, h } from "../base/dom";
import { showDialog } from "../base/keys";
import { pathOf } from "../base/route";

/** The log of a replica, as a file. */
export const logPath = (id: string, generation: string, rank: string) =>
  `${runPath(id)}/log.txt?${new URLSearchParams({ generation, rank }).toString()}`;

function showDownloads(id: string): void {
  const close = () => dialog.close();
  const entry = (link: HTMLAnchorElement, ...hint: Child[]) => {
    link.addEventListener("click", close);
    return h("li", {}, link, h("p.hint", {}, ...hint));
  };
  const record = (format: string, title: string) => h("a", { href: `${runPath(id)}/record?format=${format}`, download: true }, title);
  const dialog = h("dialog.question", { "aria-labelledby": "download-title" },
    h("h2", { id: "download-title" }, "Download"),
    h("ul.downloads", {},
      entry(record("jsonl", "Everything, as JSON lines"), "The whole record; ", h("code", {}, "batchscope import"), " reads it"),
      entry(record("csv", "All samples, as a table (CSV)"), "A line for each sample: series, generation, step, value"),
      entry(record("html", "This run's page, as one file (HTML)"), "It opens in any browser without a server: charts, explorer and records, without logs"),
      entry(h("a", { href: pathOf("log", id) }, "Logs"), "The log's view saves each replica's output as a text file")),
    h("footer", {}, button("Close", close)));
  showDialog(dialog);
}

export function downloadButton(id: string): HTMLButtonElement {
  return button("Download", () => showDownloads(id), { class: "link", title: "Keep this run's record as a file" });
}
