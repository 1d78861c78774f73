// SPDX-License-Identifier: Apache-2.0
// The server's description of itself, asked for once.
import * as api from "./api";
import type { About } from "./types";

let asked: Promise<About> | null = null;

export function serverAbout(): Promise<About> {
  asked ??= api.about().catch((error: unknown) => {
    asked = null;
    throw error;
  });
  return asked;
}
