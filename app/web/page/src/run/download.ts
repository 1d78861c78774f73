// SPDX-License-Identifier: Apache-2.0
// The dialog for saving files of a run: its record, in the forms in which `batchscope export` writes it, from the log's view
// its logs, and for those who may control it the files that its program wrote, each checkpoint as one.
import { get, runPath } from "../base/api";
import { around, button, type Child, fill, h } from "../base/dom";
import { bytes, count, timeOfDay } from "../base/format";
import { showDialog } from "../base/keys";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Table } from "../base/table";

interface RunFile {
  path: string;
  bytes: number;
  time: number; // s since 1970
}

/** The log of a replica, as a file. */
export const logPath = (id: string, generation: string, rank: string) =>
  `${runPath(id)}/log.txt?${new URLSearchParams({ generation, rank }).toString()}`;

const filePath = (id: string, path: string) => `${runPath(id)}/file?${new URLSearchParams({ path }).toString()}`;

async function showFiles(id: string, host: HTMLElement): Promise<void> {
  if ((await serverAbout()).read_only) return;
  fill(host, h("h3", {}, say("Files of its program")), h("p.hint", {}, say("Looking for files …")));
  try {
    const { files, left_out } = await get<{ files: RunFile[]; left_out: number }>(`${runPath(id)}/files`);
    const table = new Table<RunFile>({
      label: say("Files"),
      key: (file) => file.path,
      none: say("The program has written none."),
      columns: [
        { title: say("File"), isWide: true, by: (file) => file.path, cell: (file) => h("a", { href: filePath(id, file.path), download: true }, file.path) },
        { title: say("Size"), isNumber: true, by: (file) => file.bytes, cell: (file) => bytes(file.bytes) },
        { title: say("Changed"), isNumber: true, by: (file) => file.time, cell: (file) => timeOfDay(file.time) },
      ],
    });
    table.show(files);
    fill(host, h("h3", {}, say("Files of its program")), table.element,
      left_out > 0 && h("p.hint", {}, say("{} more are not offered: links, hidden files, odd names, damaged checkpoints, or too many.", count(left_out))));
  } catch (error) {
    fill(host, h("p.complaint", { role: "alert" }, (error as Error).message));
  }
}

function showDownloads(id: string): void {
  const close = () => dialog.close();
  const entry = (link: HTMLAnchorElement, ...hint: Child[]) => {
    link.addEventListener("click", close);
    return h("li", {}, link, h("p.hint", {}, ...hint));
  };
  const record = (format: string, title: string) => h("a", { href: `${runPath(id)}/record?format=${format}`, download: true }, title);
  const files = h("section.run-files", { "aria-label": say("Files of its program") });
  const dialog = h("dialog.question.is-download", { "aria-labelledby": "download-title" },
    h("h2", { id: "download-title" }, say("Download")),
    h("ul.downloads", {},
      entry(record("jsonl", say("Everything, as JSON lines")), ...around(say("The whole record; {} reads it"), h("code", {}, "batchscope import"))),
      entry(record("csv", say("All samples, as a table (CSV)")), say("A line for each sample: series, generation, step, value")),
      entry(record("html", say("This run's page, as one file (HTML)")), say("It opens in any browser without a server: charts, explorer and records, without logs")),
      entry(h("a", { href: pathOf("log", id) }, say("Logs")), say("The log's view saves each replica's output as a text file"))),
    files,
    h("footer", {}, button(say("Close"), close)));
  showDialog(dialog);
  void showFiles(id, files);
}

export function downloadButton(id: string): HTMLButtonElement {
  return button(say("Download"), () => showDownloads(id), { class: "link", title: say("Keep this run's record, its logs and its program's files") });
}
