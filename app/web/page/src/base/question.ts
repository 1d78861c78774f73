// SPDX-License-Identifier: Apache-2.0
// A question before something that a person might not mean.
import { button, h } from "./dom";
import { showDialog } from "./keys";

export interface Question {
  title: string;
  consequence: string;
  no: string;
  yes: string;
  act(): void;
}

export function ask({ title, consequence, no, yes, act }: Question): void {
  const dialog = h("dialog.question", { "aria-labelledby": "question-title" },
    h("h2", { id: "question-title" }, title),
    h("p", {}, consequence),
    h("footer", {},
      button(no, () => dialog.close(), { autofocus: true }),
      button(yes, () => {
        dialog.close();
        act();
      }, { class: "danger" })));
  showDialog(dialog);
}
