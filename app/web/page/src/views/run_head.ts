// SPDX-License-Identifier: Apache-2.0
// The head of a page about one run beside its charts: the way back to the run, what the page is, and how the run does.
import { h, setAttributes, setText } from "../base/dom";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import type { RunDetail } from "../base/types";

export function runHead(id: string, title: string): { element: HTMLElement; show: (detail: RunDetail, documentTitle: string) => void } {
  const link = h("a", { href: pathOf("run", id) }, id);
  const chip = h("span.chip", { role: "status" });
  return {
    element: h("header.page-head", {}, h("nav", { "aria-label": say("Above this page") }, link), h("h1", {}, title), chip),
    show: ({ run, status }, documentTitle) => {
      document.title = `${documentTitle} · BatchScope`;
      setText(link, run.name);
      const shown = status?.shown ?? run.shown;
      setText(chip, shown.state);
      setAttributes(chip, { "data-tone": shown.tone });
    },
  };
}
