// SPDX-License-Identifier: Apache-2.0
// The dialog of a fork: a new run that begins at a checkpoint of this one, which stays as it is.
import * as api from "../base/api";
import { button, fill, h, setText } from "../base/dom";
import { Field, line } from "../base/field";
import { count } from "../base/format";
import { showDialog } from "../base/keys";
import { go, pathOf } from "../base/route";
import type { Checkpoint, RunSummary } from "../base/types";

function forkForm(run: RunSummary, checkpoint: Checkpoint, close: () => void): HTMLFormElement {
  const name = new Field("name", "Name", line(`${run.name} fork`));
  const replicas = new Field("replicas", "Replicas", h("input", { type: "number", min: 1, step: 1, value: Math.max(1, run.replicas) }));
  const answer = h("p.complaint", { role: "alert" });
  const start = h("button.primary", { type: "submit" }, "Start the fork");
  const form = h("form.form-body", { novalidate: true },
    h("p.hint", {}, `A new run starts at once from ${checkpoint.name}, which was written after step ${count(checkpoint.step)}. ${run.name} stays as it is.`),
    name.element, replicas.element, answer, h("footer", {}, button("Cancel", close), start));
  const submit = async () => {
    start.disabled = true;
    setText(answer, "");
    try {
      // NaN, which is null in JSON, is refused by the server.
      const fork = await api.fork(run.id, { checkpoint: checkpoint.name, name: name.editor.value, replicas: (replicas.editor as HTMLInputElement).valueAsNumber });
      close();
      go(pathOf("run", fork));
    } catch (error) {
      setText(answer, (error as Error).message);
      start.disabled = false;
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  return form;
}

/** Not every run may be forked from a page: the server says why not. */
export async function askForFork(run: RunSummary, checkpoint: Checkpoint): Promise<void> {
  const body = h("div.form-body", { role: "status" }, h("p", {}, "Checking whether the run can be forked …"));
  const dialog = h("dialog.form.is-narrow", { "aria-labelledby": "fork-title" }, h("h2", { id: "fork-title" }, `Fork ${run.name}`), body);
  showDialog(dialog);
  const close = () => dialog.close();
  try {
    await api.checkFork(run.id);
    const form = forkForm(run, checkpoint, close);
    body.replaceWith(form);
    form.querySelector("input")!.select();
  } catch (error) {
    fill(body, h("p.complaint", { role: "alert" }, (error as Error).message), h("footer", {}, button("Close", close)));
  }
}
