// SPDX-License-Identifier: Apache-2.0
// The texts of a run that a person changes: its name, group, tags and note; and its way into the trash. Each can be undone.
import * as api from "../base/api";
import { button, h, setText } from "../base/dom";
import { Field, line } from "../base/field";
import { showDialog } from "../base/keys";
import { tell } from "../base/notice";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import type { RunSummary, RunTexts } from "../base/types";

const names: Record<keyof RunTexts, string> = { name: say("name"), group: say("group"), tags: say("tags"), note: say("note") }; // in a sentence

const textsOf = (run: RunSummary): Required<RunTexts> => ({ name: run.name, group: run.group, tags: run.tags.join(", "), note: run.note });

async function remove(run: RunSummary): Promise<void> {
  await api.trash(run.id, true);
  go("/");
  tell(say("Moved {} to the trash.", run.name), async () => {
    await api.trash(run.id, false);
    go(pathOf("run", run.id));
  });
}

/** `changed` is called after each change, also one that is undone. */
function askForTexts(run: RunSummary, changed: () => void): void {
  const before = textsOf(run);
  const note = h("textarea", { rows: 4 });
  note.value = before.note;
  const fields = {
    name: new Field("name", say("Name"), line(before.name)),
    group: new Field("group", say("Group"), line(before.group), say("For runs that belong together; may be empty")),
    tags: new Field("tags", say("Tags"), line(before.tags), say("Words to find the run by, with commas between them")),
    note: new Field("note", say("Note"), note),
  };
  const answer = h("p.complaint", { role: "alert" });
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
      dialog.close();
    } catch (error) {
      setText(answer, (error as Error).message);
    }
  };
  const save = () => attempt(async () => {
    const entries = Object.entries(fields).map(([name, { editor }]) => [name, editor.value] as const);
    const set = Object.fromEntries(entries.filter(([name, text]) => text !== before[name as keyof RunTexts]));
    const answer = await api.edit(run.id, set);
    changed();
    const changes = Object.entries(names).filter(([name]) => name in answer.changed).map(([, text]) => text);
    if (changes.length === 0) return;
    tell(say("Changed the {} of {}.", changes.join(", "), answer.changed.name ?? run.name), async () => {
      await api.edit(run.id, answer.before, answer.changed);
      changed();
    });
  });
  const form = h("form.form-body", { novalidate: true }, ...Object.values(fields).map((field) => field.element),
    h("footer", {}, button(say("Move to the trash"), () => void attempt(() => remove(run)), { class: "danger" }), answer,
      button(say("Cancel"), () => dialog.close()), h("button.primary", { type: "submit" }, say("Save"))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void save();
  });
  const dialog = h("dialog.form", { "aria-labelledby": "edit-title" }, h("h2", { id: "edit-title" }, say("Edit {}", run.name)), form);
  showDialog(dialog);
  fields.name.editor.focus();
}

export function editButton(run: () => RunSummary | undefined, changed: () => void): HTMLButtonElement {
  const act = () => {
    const present = run();
    if (present) askForTexts(present, changed);
  };
  return button(say("Edit"), act, { class: "link", title: say("Change name, group, tags and note, or move the run to the trash") });
}
