// SPDX-License-Identifier: Apache-2.0
// The controls of a run. Each press waits for the supervisor's answer, and the status shows its effect.
import * as api from "../base/api";
import { button, h, setAttributes, setText } from "../base/dom";
import * as format from "../base/format";
import { ask } from "../base/question";
import { say } from "../base/say";
import { Endings } from "../base/signal";
import { type CheckpointResult, type ControlRequest, type Explorer, isActive, isResumable, type RunState, type RunStatus } from "../base/types";
import { DeviceChoice } from "./device_choice";
import { ReplicaChoice } from "./replica_choice";
import type { RunSession } from "./session";

const answerSeconds = 8; // for which the supervisor's answer stays

export class Control {
  readonly element: HTMLElement;
  private readonly replicas = new ReplicaChoice();
  private readonly byName: DeviceChoice;
  private readonly devices: number;
  private readonly auto = h("input", { type: "checkbox", role: "switch" });
  private readonly restart = button(say("Restart"), () => this.press(), { class: "primary" });
  private readonly prediction = h("p.hint.prediction");
  private readonly checkpoint = button(say("Checkpoint"), () => void this.send({ command: "checkpoint" }),
    { title: say("Write a checkpoint after the next step and go on training") });
  private readonly pause = button(say("Pause"), () => this.pauseOrResume());
  private readonly stop = button(say("Stop"), () => this.confirmStop(), { class: "danger" });
  private readonly answer = h("p.hint", { role: "status" });
  private readonly endings = new Endings();
  private explorer: Explorer | null = null;
  private isWaiting = false;
  private forget: ReturnType<typeof setTimeout> | undefined;
  private present = 0;
  private told: RunState | null = null; // what the supervisor answered that the run is
  private isSo = false; // and the run has been it since

  /** `devices`: names of this machine's. */
  constructor(private readonly session: RunSession, devices: readonly string[]) {
    this.devices = devices.length;
    this.byName = new DeviceChoice(devices);
    this.auto.addEventListener("change", () => void this.send(this.auto.checked
      ? { command: "rescale", auto: "auto" }
      : { command: "rescale", replicas: Math.max(1, session.status?.target_replicas ?? 1) }));
    this.element = h("section.control", { "aria-label": say("Control") },
      h("div.section-head", {}, h("h2", {}, say("Replicas")), h("label.switch", {}, this.auto, say("Auto"))),
      this.replicas.element, this.byName.element, this.restart, this.prediction,
      h("div.section-head", {}, h("h2", {}, say("Run"))),
      h("div.buttons", {}, this.checkpoint, this.pause, this.stop), this.answer);
    // Until the run is known, and where there is none, nothing can be done with it.
    for (const control of [this.restart, this.checkpoint, this.pause, this.stop, this.auto]) control.disabled = true;
    this.byName.element.hidden = true;
    this.endings.add(
      session.statusChanged.listen(() => this.update()),
      session.detailChanged.listen(() => void this.ask()),
      this.replicas.changed.listen(() => {
        this.byName.clear();
        this.update();
      }),
      this.byName.changed.listen(() => this.update()),
    );
    this.endings.every(15, () => {
      if (!document.hidden && session.state === "running") void this.ask();
    });
  }

  end(): void {
    clearTimeout(this.forget);
    this.endings.end();
  }

  private async ask(): Promise<void> {
    try {
      this.explorer = await api.explorer(this.session.id);
    } catch {
      this.explorer = null; // the prediction is a help, and its absence nothing to tell of
    }
    this.update();
  }

  private update(): void {
    const { state, status, detail } = this.session;
    if (state === null || detail === null) return;
    if (this.told !== null && state === this.told) this.isSo = true;
    else if (this.isSo) this.hush();
    // Until a restart is over, the count before it stays the present one: it comes back where the restart fails.
    const replicas = status?.replicas || detail.run.replicas;
    if (!status?.phase || this.present === 0) this.present = replicas;
    this.replicas.set(this.devices, this.present);
    const { chosen } = this.replicas;
    const isRunning = state === "running";
    setAttributes(this.element, { "data-over": state === "finished" });
    const canResume = isResumable(state);
    const isStarting = state === "restarting" || state === "starting";
    const named = this.byName.chosen;
    const on = named.length > 0 && !isStarting ? named.join(", ") : format.replicas(Math.max(1, isStarting ? (status?.target_replicas ?? chosen) : chosen));
    setText(this.restart, isStarting ? say("Starting {} …", on) : canResume ? say("Resume on {}", on)
      : state === "finished" ? say("Finished") : state === "pending" ? say("Waits in the queue") : say("Restart on {}", on));
    this.enable(this.restart, canResume || (isRunning && (chosen !== this.present || named.length > 0)));
    this.replicas.enable(isRunning || canResume);
    // The pool gives the devices of a run of its queue, and elsewhere others have these names.
    this.byName.element.hidden = detail.job !== null || detail.origin?.followed === true || state === "finished";
    this.byName.enable(isRunning || canResume, status?.devices ?? []);
    this.auto.checked = (status?.auto_replicas ?? "") !== "";
    this.auto.disabled = !isRunning;
    this.enable(this.checkpoint, isRunning);
    this.enable(this.pause, isRunning || canResume);
    setText(this.pause, canResume ? say("Resume") : say("Pause"));
    this.enable(this.stop, (isActive(state) || state === "paused") && state !== "stopping");
    setText(this.prediction, this.hint());
    setAttributes(this.prediction, { "data-tone": state === "failed" || state === "interrupted" ? "bad" : null });
  }

  private hint(): string {
    const { state, detail } = this.session;
    if (state === "finished") return say("This run has finished.");
    const { message, diverged } = detail!.run;
    if (diverged && !isActive(state!)) return say("This trial has diverged: its metric or its gradients are not finite.");
    if ((state === "failed" || state === "interrupted" || state === "damaged") && message !== "") return message;
    return this.explorer?.what_if?.[(this.byName.chosen.length || this.replicas.chosen) - 1]?.text ?? this.explorer?.why ?? "";
  }

  private enable(control: HTMLButtonElement, isEnabled: boolean): void {
    control.disabled = !isEnabled || this.isWaiting;
  }

  private press(): void {
    const command = this.session.state !== null && isResumable(this.session.state) ? "resume" : "rescale";
    const devices = this.byName.chosen;
    const { chosen } = this.replicas;
    void this.send(devices.length > 0 ? { command, devices } : { command, replicas: chosen });
  }

  private pauseOrResume(): void {
    const canResume = this.session.state !== null && isResumable(this.session.state);
    void this.send(canResume ? { command: "resume" } : { command: "pause" });
  }

  private confirmStop(): void {
    ask({
      title: say("Stop {}?", this.session.detail?.run.name ?? this.session.id),
      consequence:
        this.session.state === "running" && this.session.status?.rescalable === false
          ? say("Its program reports no checkpoints: it ends without one, and a resumed run starts it again.")
          : say("The run writes a checkpoint first, and can be resumed from it later. To free its devices for a while, pause it instead."),
      no: say("Keep training"),
      yes: say("Stop the run"),
      act: () => void this.send({ command: "stop" }),
    });
  }

  // An answer that is out of date would be taken for the run's state.
  private hush(): void {
    clearTimeout(this.forget);
    this.told = null;
    this.isSo = false;
    setText(this.answer, "");
  }

  private async send(request: ControlRequest): Promise<void> {
    this.isWaiting = true;
    this.hush();
    this.update();
    try {
      const { result } = await api.control(this.session.id, request);
      this.byName.clear();
      this.say(request, result);
    } catch (error) {
      setText(this.answer, (error as Error).message);
      setAttributes(this.answer, { "data-tone": "bad" });
    } finally {
      this.isWaiting = false;
      this.update();
    }
  }

  private say(request: ControlRequest, result: unknown): void {
    setAttributes(this.answer, { "data-tone": null });
    // The state at the head of the page shows what follows.
    this.forget = setTimeout(() => this.hush(), 1000 * answerSeconds);
    if (request.command === "checkpoint") {
      const { step, bytes, seconds } = result as CheckpointResult;
      setText(this.answer, say("Checkpoint after step {}: {} in {}.", format.count(step), format.bytes(bytes), format.pause(seconds)));
    } else {
      const status = result as RunStatus | null;
      this.told = status?.state ?? null;
      setText(this.answer, status ? say("The supervisor answers: {}.", status.shown.state.toLowerCase()) : "");
    }
  }
}
