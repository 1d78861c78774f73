// SPDX-License-Identifier: Apache-2.0
// A run: its charts in the middle, what can be done with it at the right, what is recorded below.
import { button, h, setText } from "../base/dom";
import { addKeys } from "../base/keys";
import { isRecording } from "../base/recording";
import { go, pathOf, type Route } from "../base/route";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { ViewState } from "../chart/view_state";
import { askForRun } from "../queue/new_run";
import { Control } from "../run/control";
import { Dashboard } from "../run/dashboard";
import { editButton } from "../run/edit";
import { downloadButton } from "../run/download";
import { askForFork } from "../run/fork";
import { header } from "../run/header";
import { readout } from "../run/readout";
import { restartSteps } from "../run/restart_steps";
import { RunSession } from "../run/session";
import { shareButton } from "../run/share";
import { serverAbout } from "../base/server";
import { Records } from "./records";

export function show(root: HTMLElement, route: Route): () => void {
  const endings = new Endings();
  const view = new ViewState(route.query);
  const session = new RunSession(route.id, view);
  const dashboard = new Dashboard(session);
  const head = header(session, dashboard);
  const steps = restartSteps(session);
  const values = readout(session);
  const records = new Records(route.id);
  const failure = h("p.failure", { role: "alert", hidden: true });
  const said = h("p.note", { hidden: true }); // by a person
  const side = h("section.side", { "aria-label": say("Control and values") }, steps.element, values.element);
  root.append(h("div.run-view", {}, h("div.instrument", {}, head.element, said, failure, dashboard.element, records.element), side));

  session.failed.listen((message) => {
    failure.hidden = false;
    setText(failure, message);
  });
  session.detailChanged.listen(() => {
    failure.hidden = true;
    if (session.detail === null) return;
    records.show(session.detail);
    const { group, tags, note } = session.detail.run;
    setText(said, [group && say("Group {}", group), tags.length > 0 && say("Tags {}", tags.join(", ")), note].filter(Boolean).join(" · "));
    said.hidden = said.textContent === "";
  });
  if (!isRecording) head.links.append(downloadButton(route.id));
  let control: Control | null = null;
  void serverAbout().then((about) => {
    if (about.read_only) return;
    head.links.append(
      button(say("Clone"), () => void askForRun((run) => go(pathOf("run", run)), session.detail?.run),
        { class: "link", title: say("Set up a new run that begins with the settings of this one") }),
      editButton(() => session.detail?.run, () => void session.refresh()), shareButton(route.id));
    records.offerForks((checkpoint) => void askForFork(session.detail!.run, checkpoint));
    if (session.detail !== null) records.show(session.detail);
    control = new Control(session, about.devices);
    side.prepend(control.element);
    session.statusChanged.emit();
  });
  endings.add(
    addKeys(say("Charts"), [
      { key: "f", text: say("Keep the newest step in view"), act: () => view.setFollow(!view.follows) },
      { key: "l", text: say("Vertical axes: automatic, logarithmic, linear"), act: () => view.nextLog() },
      { key: "L", shown: say("Shift l"), text: say("Horizontal axis: logarithmic or linear"), act: () => view.setLogX(!view.logX) },
      { key: "0", text: say("Show the whole run; also a double click"), act: () => view.reset() },
      { key: "g", text: say("Open the goodput explorer"), act: () => go(pathOf("explorer", route.id)) },
      { key: "w", text: say("Show why it scaled"), act: () => go(pathOf("scaling", route.id)) },
      { key: "drag", shown: say("drag"), text: say("Zoom in") },
      { key: "Ctrl wheel", shown: say("Ctrl wheel"), text: say("Zoom around the pointer; Shift and the wheel, or two fingers, do the same") },
      { key: "← →", text: say("Move the cross-hair of the chart that has the focus; with Shift, pan it") },
      { key: "+ −", text: say("Zoom that chart") },
    ]),
    () => session.end(),
    () => dashboard.end(),
    () => head.end(),
    () => steps.end(),
    () => values.end(),
    () => control?.end(),
  );
  session.start();
  return () => endings.end();
}
