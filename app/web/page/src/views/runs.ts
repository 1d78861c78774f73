// SPDX-License-Identifier: Apache-2.0
// All runs of the store.
import { button, h, setAttributes, setText } from "../base/dom";
import { go, pathOf } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { askForRun } from "../queue/new_run";
import { compareAddress, RunList } from "../runs/list";

export function show(root: HTMLElement): () => void {
  document.title = `${say("Runs")} · BatchScope`;
  const list = new RunList({ isWide: true });
  const link = h("a.button.primary", { href: "/compare" });
  const bar = h("div.compare-bar", { hidden: true }, link);
  const stop = list.comparedChanged.listen(() => {
    bar.hidden = list.compared.size < 2;
    setText(link, say("Compare {} runs", list.compared.size));
    setAttributes(link, { href: compareAddress(list.compared) });
  });
  const actions = h("span.actions", {}, bar, h("a.button", { href: pathOf("trash") }, say("Trash")));
  void serverAbout().then((about) => {
    if (!about.read_only) actions.append(button(say("New run …"), () => void askForRun(() => go(pathOf("queue")))));
  });
  root.append(h("div.page", {}, h("header.page-head", {}, h("h1", {}, say("Runs")), actions), list.element));
  return () => {
    stop();
    list.end();
  };
}
