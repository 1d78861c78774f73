// SPDX-License-Identifier: Apache-2.0
// The text of a page of a lesson: what there is to read, the question and what is said to each answer, the training that
// it offers, and the way to the pages before and behind it.
import { around, button, fill, h, setAttributes } from "../base/dom";
import { markdown } from "../base/markdown";
import { pathOf } from "../base/route";
import { say } from "../base/say";
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
    fill(reply, ...markdown(`${choice.is_right ? say("Right.") : say("Not quite.")} ${choice.reply}`));
    reply.hidden = false;
  }, { class: "choice", "aria-pressed": "false" }));
  buttons.forEach((each, i) => fill(each, ...markdown(choices[i]!.text).flatMap((block) => [...block.childNodes])));
  return h("div.question-choices", { role: "group", "aria-label": say("Choices") }, ...buttons, reply);
}

export function lessonPanel({ lesson, page, finish, launch }: PanelOptions): HTMLElement {
  const shown = lesson.pages[page]!;
  const isLast = page + 1 === lesson.pages.length;
  const offer = shown.launch;
  return h("section.lesson-panel", { "aria-label": say("Lesson") },
    h("nav", { "aria-label": say("Above this page") }, h("a", { href: pathOf("lessons") }, say("‹ All lessons"))),
    h("p.hint", {}, say("{} · {} of {}", lesson.title, page + 1, lesson.pages.length)),
    h("h1", {}, shown.title),
    h("div.lesson-text", {}, ...markdown(shown.text)),
    shown.choices.length > 0 && question(shown.choices),
    offer && h("div.lesson-launch", {},
      launch && button(say("Run it live …"), () => launch(offer), { class: "primary" }),
      h("p.hint", {}, ...around(say("In a terminal: {}"), h("code", {}, offer.command)))),
    h("footer.lesson-turn", {},
      page > 0 ? h("a.button", { href: pageAddress(lesson.name, page - 1), rel: "prev" }, say("Back")) : h("span"),
      isLast ? button(say("Finish"), finish, { class: "primary" }) : h("a.button.primary", { href: pageAddress(lesson.name, page + 1), rel: "next" }, say("Next"))));
}
