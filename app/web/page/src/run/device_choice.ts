// SPDX-License-Identifier: Apache-2.0
// The devices of this machine by name, for a person who wants a run on these and no others: one replica on each.
import { fill, h, setAttributes } from "../base/dom";
import { say } from "../base/say";
import { Signal } from "../base/signal";

export class DeviceChoice {
  readonly changed = new Signal<readonly string[]>();
  private readonly list = h("div.devices", { role: "group", "aria-label": say("Devices") });
  readonly element = h("details.by-name", {}, h("summary", {}, say("Choose devices by name")), this.list);
  private readonly boxes = new Map<string, HTMLInputElement>();

  constructor(devices: readonly string[]) {
    for (const device of devices) {
      const box = h("input", { type: "checkbox" });
      box.addEventListener("change", () => this.changed.emit(this.chosen));
      this.boxes.set(device, box);
    }
    fill(this.list, ...[...this.boxes].map(([device, box]) => h("label.check", {}, box, device)));
  }

  /** Names in the machine's order; none: their number decides. */
  get chosen(): string[] {
    return [...this.boxes].filter(([, box]) => box.checked).map(([device]) => device);
  }

  clear(): void {
    for (const box of this.boxes.values()) box.checked = false;
  }

  /** `present`: where the run trains now. */
  enable(isEnabled: boolean, present: readonly string[]): void {
    for (const [device, box] of this.boxes) {
      box.disabled = !isEnabled;
      setAttributes(box.parentElement!, { "data-present": present.includes(device), title: present.includes(device) ? say("The run trains on it now") : null });
    }
  }
}
