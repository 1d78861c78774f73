// SPDX-License-Identifier: Apache-2.0
//
// Every view of the page, with an address of each in the recorded store and words that are there once it is filled.
const of = (tail) => async (store) => `/run/${await store.idOf("baseline")}${tail}`;

export const VIEWS = [
  { name: "list", path: async () => "/", shows: "baseline" },
  { name: "run", path: of(""), shows: "Gain" },
  { name: "explorer", path: of("/explorer"), shows: "What if" },
  { name: "scaling", path: of("/scaling"), shows: "What each restart cost" },
  { name: "log", path: of("/log"), shows: "baseline" },
  {
    name: "compare",
    path: async (store) => `/compare?runs=${await store.idOf("baseline")},${await store.idOf("faster")}`,
    shows: "Hyperparameters",
  },
  { name: "queue", path: async () => "/queue", shows: "Queue" },
  { name: "sweeps", path: async () => "/sweeps", shows: "digits-sweep" },
  { name: "sweep", path: async () => "/sweeps/digits-sweep", shows: "Parallel coordinates" },
  { name: "lessons", path: async () => "/lessons", shows: "Where goodput peaks" },
  { name: "lesson", path: async () => "/lessons/1-gain?page=2", shows: "Far from the solution" },
  { name: "trash", path: async () => "/trash", shows: "The trash is empty." },
];
