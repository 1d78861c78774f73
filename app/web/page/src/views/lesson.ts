// SPDX-License-Identifier: Apache-2.0
// A page of a lesson: its text, and beside it the recorded run that it speaks of, as the text wants it looked at.
import * as api from "../base/api";
import { fill, h } from "../base/dom";
import { addKeys } from "../base/keys";
import { go, pathOf, type Route } from "../base/route";
import { say } from "../base/say";
import { serverAbout } from "../base/server";
import { Endings } from "../base/signal";
import type { Lesson } from "../base/types";
import { markDone } from "../lessons/done";
import { lessonPanel, pageAddress } from "../lessons/panel";
import { askForLaunch } from "../queue/new_run";
import { lessonStage } from "./lesson_stage";

let newest: Lesson | null = null; // so that a page is turned without asking for the lesson again

const isWhole = (lesson: Lesson) => Object.values(lesson.runs).every((run) => run !== null);

async function read(name: string, isReadOnly: boolean, said: (text: string) => void): Promise<Lesson> {
  if (newest?.name === name && isWhole(newest)) return newest;
  newest = await api.lesson(name);
  if (isWhole(newest) || isReadOnly) return newest;
  said(say("Taking the recorded runs of this lesson into the store …"));
  return (newest = await api.takeInLesson(name));
}

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  let isOver = false;
  const host = h("div.lesson-view", {}, h("p.hint", { role: "status" }, say("Reading the lesson …")));
  const tell = (text: string) => fill(host, h("p.hint", { role: "status" }, text));
  root.append(host);

  async function load(): Promise<void> {
    try {
      const about = await serverAbout();
      const lesson = await read(route.id, about.read_only, tell);
      if (isOver) return;
      const asked = Math.trunc(Number(route.query.get("page") ?? 1)) || 1;
      const page = Math.min(Math.max(asked, 1), lesson.pages.length) - 1;
      document.title = `${lesson.title} · BatchScope`;
      const finish = () => {
        markDone(lesson.name);
        go(pathOf("lessons"));
      };
      const stage = lessonStage(lesson.pages[page]!.stage, lesson.runs);
      const panel = lessonPanel({ lesson, page, finish,
        ...(!about.read_only && { launch: (launch) => void askForLaunch((run) => go(pathOf("run", run)), launch) }) });
      fill(host, panel, stage.element);
      const turn = (to: number) => (to < lesson.pages.length ? to >= 0 && go(pageAddress(lesson.name, to)) : finish());
      endings.add(() => stage.end(), addKeys(say("Lesson"), [
        { key: "n", text: say("Next page"), act: () => turn(page + 1) },
        { key: "p", text: say("Previous page"), act: () => turn(page - 1) },
      ]));
    } catch (error) {
      if (!isOver) fill(host, h("p.failure", { role: "alert" }, (error as Error).message));
    }
  }
  void load();
  return () => {
    isOver = true;
    endings.end();
  };
}
