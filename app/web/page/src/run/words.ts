// SPDX-License-Identifier: Apache-2.0
// The state of a run in words and in the tone of its colour, as in the window
// (app/desktop/look/status_text.h).
import * as format from "../base/format";
import { isActive, type Fold, type RunStatus, type RunSummary, type ShownState, shownState, toNumber } from "../base/types";

export type Tone = "good" | "warning" | "bad" | "plain";

export const toneOf: Record<ShownState, Tone> = {
  pending: "warning", starting: "warning", running: "good", restarting: "warning", pausing: "warning", paused: "warning",
  stopping: "warning", stopped: "plain", finished: "plain", failed: "bad", interrupted: "bad", damaged: "bad",
  diverged: "bad",
};

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function stateText(state: ShownState, status: RunStatus | null): string {
  const on = format.replicas(Math.max(1, status?.replicas ?? 1));
  if (status === null) return capital(state);
  if (state === "starting") return `Starting on ${on}`;
  if (state === "running") return `${status.loop === "validate" ? "Validating" : "Training"} on ${on}`;
  if (state === "restarting") return `Restarting on ${format.replicas(Math.max(1, status.target_replicas))}`;
  return capital(state);
}

/** A run that is over without a step or an epoch: its program reports none. */
const isUnrecorded = (state: ShownState, epoch: number, step: number) => state === "finished" && step === 0 && epoch === 0;

export function epochText(state: ShownState, epoch: number, epochs: number, step: number): string {
  if (isUnrecorded(state, epoch, step)) return "Not recorded";
  if (epochs <= 0) return `Step ${format.count(step)}`;
  if (epoch >= epochs) return epochs === 1 ? "1 epoch" : `${epochs} epochs`;
  return `Epoch ${epoch + 1} of ${epochs}`;
}

export function timeText(status: RunStatus): string {
  const elapsed = format.duration(status.elapsed);
  if (status.remaining < 0 || !isActive(status.state)) return elapsed;
  return `${elapsed}, about ${format.duration(status.remaining)} left`;
}

/** "best accuracy 0.981 · 12 trials: 3 running, 9 wait at rung 1": a narrow list shows the beginning. */
export function foldText({ text, best }: Fold): string {
  return best ? `best ${best.metric} ${format.number(toNumber(best.value))} · ${text}` : text;
}

/** Returns whose trial a run is, which says who else may resume it; empty for a run of its own. */
export function trialText(run: RunSummary): string {
  return run.sweep === null ? "" : `trial ${run.trial} of the sweep ${run.sweep}`;
}

/** "last heard 02:41", in place of the state of a followed run of which there is no newer word; else empty. */
export const heardText = ({ heard }: RunSummary) => (heard == null ? "" : `last heard ${format.timeOfDay(heard)}`);

/** A run's line in a list, below its name. */
export function detailText(run: RunSummary): string {
  if (run.fold) return foldText(run.fold);
  if (run.heard != null) return heardText(run);
  const state = shownState(run);
  if (state === "diverged") return `diverged after ${format.count(run.step)} steps`;
  if (state === "failed" || state === "interrupted" || state === "damaged") return run.message || state;
  const parts: string[] = [];
  const epoch = run.live?.epoch ?? run.epoch;
  if (run.epochs > 0) parts.push(`epoch ${Math.min(epoch + 1, run.epochs)} of ${run.epochs}`);
  const latest = run.live?.latest ?? run.latest;
  if (latest["accuracy"] !== undefined) parts.push(format.number(toNumber(latest["accuracy"])));
  else if (latest["loss"] !== undefined) parts.push(`loss ${format.number(toNumber(latest["loss"]))}`);
  if (parts.length > 0) return parts.join(" · ");
  if (run.step > 0) return `step ${format.count(run.step)}`;
  if (isActive(state) || state === "pending") return `since ${format.timeOfDay(run.created)}`;
  return run.message || (isUnrecorded(state, epoch, run.step) ? "not recorded" : "without a step");
}

export const pauseParts = ["checkpoint", "stop", "launch", "restore", "first step"] as const;
