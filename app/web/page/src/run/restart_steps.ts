// SPDX-License-Identifier: Apache-2.0
// The parts of the last restart's pause, or how far the one under way is.
import { fill, h, setText } from "../base/dom";
import { say } from "../base/say";
import type { RunSession } from "./session";

export function restartSteps(session: RunSession): { element: HTMLElement; end: () => void } {
  const title = h("h2", {});
  const list = h("ul.steps");
  const element = h("section.restart", { "aria-label": say("Restart"), hidden: true }, h("div.section-head", {}, title), list);

  const update = () => {
    const shown = session.status?.shown.restart ?? session.detail?.last_restart;
    element.hidden = !shown;
    if (!shown) return;
    setText(title, shown.title);
    fill(list, ...shown.steps.map(({ part, state, value }) =>
      h("li", { "data-state": state }, h("span.dot"), h("span", {}, part), h("span.value", {}, value))));
  };
  const stops = [session.statusChanged.listen(update), session.detailChanged.listen(update)];
  return { element, end: () => stops.forEach((stop) => stop()) };
}
