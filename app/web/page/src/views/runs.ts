// SPDX-License-Identifier: Apache-2.0
// All runs of the store.
import { button, h, setAttributes, setText } from "../base/dom";
import { go, pathOf } from "../base/route";
import { serverAbout } from "../base/server";
import { askForRun } from "../queue/new_run";
import { compareAddress, RunList } from "../runs/list";

export function show(root: HTMLElement): () => void {
  document.title = "Runs · BatchScope";
  const list = new RunList({ isWide: true });
  const link = h("a.button.primary", { href: "/compare" });
  const bar = h("div.compare-bar", { hidden: true }, link);
  const stop = list.comparedChanged.listen(() => {
    bar.hidden = list.compared.size < 2;
    setText(link, `Compare ${list.compared.size} runs`);
    setAttributes(link, { href: compareAddress(list.compared) });
  });
  const actions = h("span.actions", {}, bar, h("a.button", { href: pathOf("trash") }, "Trash"));
  void serverAbout().then((about) => {
    if (!about.read_only) actions.append(button("New run …", () => void askForRun(() => go(pathOf("queue")))));
  });
  root.append(h("div.page", {}, h("header.page-head", {}, h("h1", {}, "Runs"), actions), list.element));
  return () => {
    stop();
    list.end();
  };
}
