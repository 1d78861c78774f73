// SPDX-License-Identifier: Apache-2.0
// A line that says what was done, with a button that undoes it. It stays over other views until it is closed or replaced.
import { button, fill, h } from "./dom";
import { say } from "./say";

const host = h("div.notice", { role: "status", hidden: true });

export function tell(text: string, undo?: () => Promise<void>): void {
  const close = () => {
    host.hidden = true;
  };
  const takeBack = async () => {
    close();
    try {
      await undo!();
    } catch (error) {
      tell((error as Error).message);
    }
  };
  if (!host.isConnected) document.body.append(host);
  fill(host, h("span", {}, text), undo && button(say("Undo"), () => void takeBack()), button(say("Close"), close, { class: "link" }));
  host.hidden = false;
}
