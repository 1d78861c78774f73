// SPDX-License-Identifier: Apache-2.0
// The choice of the number of replicas: a segment for each number worth asking for, as radio buttons.
import { fill, h, setAttributes } from "../base/dom";
import * as format from "../base/format";
import { say } from "../base/say";
import { Signal } from "../base/signal";

/** Powers of two up to the first beyond the devices, all of the devices, and as many as there are now. */
export function choices(devices: number, present: number): number[] {
  const counts = new Set([devices]);
  let power = 1;
  for (; power <= devices; power *= 2) counts.add(power);
  counts.add(power);
  if (devices < 4) counts.add(devices + 1);
  if (present > 0) counts.add(present);
  return [...counts].filter((count) => count > 0).sort((a, b) => a - b);
}

export class ReplicaChoice {
  readonly element = h("div.segments", { role: "radiogroup", "aria-label": say("Replicas") });
  readonly changed = new Signal<number>();
  chosen = 0;
  private present = 0;
  private devices = 0;

  /**
   * Sets the numbers of devices and of replicas that train; a person's choice stays until the number that
   * trains is another.
   */
  set(devices: number, present: number): void {
    if (devices === this.devices && present === this.present) return;
    if (present !== this.present) this.chosen = present;
    this.devices = devices;
    this.present = present;
    const radios = choices(devices, present).map((count) => this.segment(count));
    fill(this.element, ...radios);
  }

  enable(isEnabled: boolean): void {
    for (const input of this.element.querySelectorAll("input")) input.disabled = !isEnabled;
  }

  private segment(count: number): HTMLElement {
    const isBeyond = count > this.devices;
    const input = h("input", { type: "radio", name: "replicas", value: count, "aria-label": String(count) });
    input.checked = count === this.chosen;
    input.addEventListener("change", () => {
      this.chosen = count;
      this.changed.emit(count);
    });
    const label = h("label", { title: isBeyond ? say("{} on {} devices: replicas will share them", format.replicas(count), this.devices) : format.replicas(count) },
      input, h("span", {}, String(count)));
    setAttributes(label, { "data-present": count === this.present, "data-beyond": isBeyond });
    return label;
  }
}
