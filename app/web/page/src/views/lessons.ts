// SPDX-License-Identifier: Apache-2.0
// The lessons, each with what it is about, and a tick where a person has done it.
import * as api from "../base/api";
import { fill, h, setText } from "../base/dom";
import { pathOf } from "../base/route";
import { say } from "../base/say";
import { doneLessons } from "../lessons/done";

export function show(root: HTMLElement): () => void {
  const failure = h("p.failure", { role: "alert", hidden: true });
  const list = h("ol.lesson-list");
  root.append(h("div.page", {}, h("header.page-head", {}, h("h1", {}, say("Lessons"))),
    h("p.hint", {}, say("Short lessons on recorded runs: read, look at the charts beside the text, answer, and try it live.")), failure, list));
  document.title = `${say("Lessons")} · BatchScope`;
  api.lessons().then((lessons) => {
    const done = doneLessons();
    fill(list, ...lessons.map(({ name, title, summary, pages }) => h("li", {},
      h("a.lesson-row", { href: pathOf("lesson", name) },
        h("strong", {}, title),
        h("span.lesson-pages", {}, done.includes(name) ? h("span.lesson-done", {}, say("✓ done")) : pages === 1 ? say("1 page") : say("{} pages", pages)),
        h("span.lesson-summary", {}, summary)))));
  }, (error: Error) => {
    failure.hidden = false;
    setText(failure, error.message);
  });
  return () => {};
}
