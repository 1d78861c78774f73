// SPDX-License-Identifier: Apache-2.0
// The text of a page of a lesson: what there is to read, the question and what is said to each answer, the training that
// it offers, and the way to the pages before and behind it.
import { button, fill, h, setAttributes } from "../base/dom";
import { markdown } from "../base/markdown";
import { pathOf } from "../base/route";
import type { Lesson, LessonPage } from "../base/types";

export interface PanelOptions {
  lesson: Lesson;
  page: number; // from 0
  finish(): void;
  /** Absent where the token starts nothing. */
  launch?(launch: NonNullable<LessonPage["launch"]>): void;
}

export const pageAddress = (lesson: string, page: number) => `${pathOf("lesson", lesson)}${page === 0 ? "" : `?page=${page + 1}`}`;

function question(choices: LessonPage["choices"]): HTMLElement {
  const reply = h("div.reply", { role: "status", hidden: true });
  const buttons = choices.map((choice) => button("", () => {
    for (const each of buttons) setAttributes(each, { "data-tone": null, "aria-pressed": "false" });
    const tone = choice.is_right ? "good" : "bad";
    setAttributes(buttons[choices.indexOf(choice)]!, { "data-tone": tone, "aria-pressed": "true" });
    setAttributes(reply, { "data-tone": tone });
    fill(reply, ...markdown(`${choice.is_right ? "Right." : "Not quite."} ${choice.reply}`));
    reply.hidden = false;
  }, { class: "choice", "aria-pressed": "false" }));
  buttons.forEach((each, i) => fill(each, ...markdown(choices[i]!.text).flatMap((block) => [...block.childNodes])));
  return h("div.question-choices", { role: "group", "aria-label": "Choices" }, ...buttons, reply);
}

export function lessonPanel({ lesson, page, finish, launch }: PanelOptions): HTMLElement {
  const shown = lesson.pages[page]!;
  const isLast = page + 1 === lesson.pages.length;
  const offer = shown.launch;
  return h("section.lesson-panel", { "aria-label": "Lesson" },
    h("nav", { "aria-label": "Above this page" }, h("a", { href: pathOf("lessons") }, "‹ All lessons")),
    h("p.hint", {}, `${lesson.title} · ${page + 1} of ${lesson.pages.length}`),
    h("h1", {}, shown.title),
    h("div.lesson-text", {}, ...markdown(shown.text)),
    shown.choices.length > 0 && question(shown.choices),
    offer && h("div.lesson-launch", {},
      launch && button("Run it live …", () => launch(offer), { class: "primary" }),
      h("p.hint", {}, "In a terminal: ", h("code", {}, offer.command))),
    h("footer.lesson-turn", {},
      page > 0 ? h("a.button", { href: pageAddress(lesson.name, page - 1), rel: "prev" }, "Back") : h("span"),
      isLast ? button("Finish", finish, { class: "primary" }) : h("a.button.primary", { href: pageAddress(lesson.name, page + 1), rel: "next" }, "Next")));
}
