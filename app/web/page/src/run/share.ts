// SPDX-License-Identifier: Apache-2.0
// A link to a run for other people: it shows this run and no other, for a day, and changes nothing.
import * as api from "../base/api";
import { around, button, fill, h } from "../base/dom";
import * as format from "../base/format";
import { showDialog } from "../base/keys";
import { say } from "../base/say";

function linkDialog(): { dialog: HTMLDialogElement; body: HTMLElement } {
  const body = h("div", { role: "status" }, h("p", {}, say("Making a link …")));
  const dialog = h("dialog.question", { "aria-labelledby": "share-title" },
    h("h2", { id: "share-title" }, say("Share this run")), body,
    h("footer", {}, button(say("Close"), () => dialog.close(), { autofocus: true })));
  return { dialog, body };
}

async function share(id: string): Promise<void> {
  const { dialog, body } = linkDialog();
  showDialog(dialog);
  try {
    const { name, path, until } = await api.link(id);
    const address = h("input", { type: "text", readonly: true, value: new URL(path, location.href).href, "aria-label": say("Link") });
    address.addEventListener("focus", () => address.select());
    fill(body, h("p", {}, say("Anyone with this link can look at this run, and at no other, until {}.", format.timeOfDay(until))), address,
      h("p.hint", {}, ...around(say("To end it sooner: {}"), h("code", {}, `batchscope serve tokens --revoke ${name}`))));
    address.focus();
  } catch (error) {
    fill(body, h("p.complaint", { role: "alert" }, (error as Error).message));
  }
}

export function shareButton(id: string): HTMLButtonElement {
  return button(say("Share"), () => void share(id), { class: "link", title: say("Make a link that shows this run to other people for a day") });
}
