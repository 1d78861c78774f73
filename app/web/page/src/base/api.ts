// SPDX-License-Identifier: Apache-2.0
// The requests to the server (app/web/server/API.md), by its types, or to the recording where the page is one. An error
// carries the server's own sentence.
import { isRecording, recorded } from "./recording";
import { say } from "./say";
import type { About, Clone, Complaints, ControlRequest, Explorer, Fork, Lesson, LessonEntry, Link, NewRun, NewSweep, PoolChange, PriorityChange, QueueRequest, Recipes, RunDetail, RunList, RunTexts, Samples, SweepNames, SweepRequest, Trash, WaitingQueue } from "./types";

const patience = 20; // seconds for which a question waits: one that was asked through a tunnel that is cut gets no answer

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly fields: Complaints = {}) {
    super(message);
  }
}

async function answer<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin" });
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (error instanceof DOMException && error.name === "TimeoutError") throw new ApiError(0, say("The server has not answered for {} s.", patience));
    throw new ApiError(0, say("The server does not answer. Is batchscope serve running, and the ssh tunnel open?"));
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, say("The server answered {} without JSON.", response.status));
  }
  if (response.ok) return body as T;
  const refusal = body as { error?: string; fields?: Complaints };
  throw new ApiError(response.status, refusal.error ?? say("The server answered {}.", response.status), refusal.fields);
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (isRecording) return recorded(path) as Promise<T>;
  const inTime = AbortSignal.timeout(1000 * patience);
  return answer<T>(path, { signal: signal ? AbortSignal.any([signal, inTime]) : inTime });
}

export function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return answer<T>(path, { method: "POST", headers, body: JSON.stringify(body) });
}

function query(values: Record<string, string | number | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export const runPath = (id: string) => `/api/runs/${encodeURIComponent(id)}`;

export interface SamplesQuery {
  series: string[];
  x: string;
  from: number | null;
  to: number | null;
  columns: number;
  log: readonly string[]; // of the series, those that a logarithmic axis shows
}

export const about = () => get<About>("/api/about");
export const runs = (where: string, sort: string, signal?: AbortSignal) =>
  get<RunList>(`/api/runs${query({ where, sort, limit: 200 })}`, signal);
/** The same with the trials of a sweep as one entry, unless the filter asks for trials. */
export const foldedRuns = (where: string, sort: string, signal?: AbortSignal) =>
  get<RunList>(`/api/runs${query({ where, sort, limit: 200, fold: 1 })}`, signal);
/** The runs in the trash, the one that was moved there last first. */
export const removedRuns = (where: string) => get<Trash>(`/api/runs${query({ where, trash: 1, limit: 200 })}`);
export const run = (id: string, signal?: AbortSignal) => get<RunDetail>(runPath(id), signal);
export const samples = (id: string, wanted: SamplesQuery, signal?: AbortSignal) =>
  get<Samples>(`${runPath(id)}/samples${query({ ...wanted, series: wanted.series.join(","), log: wanted.log.join(",") })}`, signal);
export const explorer = (id: string, replicas: number | null = null, signal?: AbortSignal) =>
  get<Explorer>(`${runPath(id)}/explorer${query({ replicas })}`, signal);
export const link = (id: string) => post<Link>(`${runPath(id)}/link`, {});
export const control = (id: string, request: ControlRequest) =>
  post<{ result: unknown }>(`${runPath(id)}/control`, request);
/** Returns the priorities that it has changed, so that they can be set back. */
export const askJob = (id: string, request: QueueRequest) =>
  post<{ changed: PriorityChange[] }>(`/api/queue/${encodeURIComponent(id)}`, request);
export const queue = () => get<WaitingQueue>("/api/queue");
export const sweeps = () => get<SweepNames>("/api/sweeps");
/** Returns the new sweep's name. Throws an ApiError that says what is wrong by its field. */
export const beginSweep = async (sweep: NewSweep) => (await post<{ sweep: { name: string } }>("/api/sweeps", sweep)).sweep.name;
export const checkSweep = async (sweep: NewSweep) => (await post<{ fields: Complaints }>("/api/sweeps", { ...sweep, check: true })).fields;
export const askSweep = (name: string, request: SweepRequest) =>
  post<unknown>(`/api/sweeps/${encodeURIComponent(name)}`, request);
export const configurePool = (change: PoolChange) => post<unknown>("/api/pool", change);
export const lessons = async () => (await get<{ lessons: LessonEntry[] }>("/api/lessons")).lessons;
const lessonPath = (name: string) => `/api/lessons/${encodeURIComponent(name)}`;
export const lesson = (name: string) => get<Lesson>(lessonPath(name));
/** Takes the recorded runs of a lesson into the store, and returns the lesson. */
export const takeInLesson = (name: string) => post<Lesson>(lessonPath(name), {});
export const recipes = () => get<Recipes>("/api/recipes");
/** The new run that a run's own settings make; throws where a page may not clone it. */
export const clone = (id: string) => get<Clone>(`${runPath(id)}/clone`);
/** Throws an ApiError that says what is wrong by its field. */
export const submit = (run: NewRun) => post<{ run: string }>("/api/queue", run);
export const check = async (run: NewRun) => (await post<{ fields: Complaints }>("/api/queue", { ...run, check: true })).fields;
/** The same of a run that starts now, beside the queue. */
export const startNow = (run: NewRun) => post<{ run: string }>("/api/runs", run);
export const checkNow = async (run: NewRun) => (await post<{ fields: Complaints }>("/api/runs", { ...run, check: true })).fields;
/** Returns the new run. Throws an ApiError that says what is wrong by its field. */
export const fork = async (id: string, fork: Fork) => (await post<{ run: string }>(`${runPath(id)}/fork`, fork)).run;
/** Says what is wrong with a fork, and the run's own settings; throws where a page may not fork the run. */
export const checkFork = (id: string, fork: Partial<Fork> = {}) =>
  post<{ fields: Complaints; recipe: string; values: Record<string, string> }>(`${runPath(id)}/fork`, { ...fork, check: true });
/** Changes nothing where the run has other texts than `was`. */
export const edit = (id: string, set: RunTexts, was: RunTexts = {}) =>
  post<{ changed: RunTexts; before: RunTexts }>(`${runPath(id)}/edit`, { set, was });
export const trash = (id: string, removed: boolean) => post<unknown>(`${runPath(id)}/trash`, { removed });
