// SPDX-License-Identifier: Apache-2.0
// The pool's settings: by what it shares the devices, how many, and whether it starts anything.
import * as api from "../base/api";
import { button, fill, h, setAttributes, setText } from "../base/dom";
import { say } from "../base/say";
import type { PoolChange } from "../base/types";
import type { Queue } from "./jobs";

type Pool = Queue["pool"];

const mostDevices = 4096;

export class PoolBar {
  readonly element: HTMLElement;
  readonly answer = h("p.hint", { role: "status" });
  private readonly policy = h("select", { "aria-label": say("Policy") });
  private readonly devices = h("input", { type: "number", min: 1, max: mostDevices, step: 1, placeholder: say("all"),
    title: say("The most devices of each kind that runs may have; empty: all of them"), "aria-label": say("Devices of each kind that the pool may give away") });
  private readonly pause = button(say("Pause"), () => void this.set({ paused: !this.pool?.paused }),
    { title: say("Runs keep the devices they have, and nothing new is started") });
  private readonly drain = button(say("Drain"), () => void this.set({ draining: !this.pool?.draining }),
    { title: say("Nothing new is started; runs that train still get devices") });
  private pool: Pool | undefined;

  constructor(private readonly reload: () => Promise<void>) {
    this.policy.addEventListener("change", () => void this.set({ policy: this.policy.value }));
    this.devices.addEventListener("change", () => this.setDevices());
    this.element = h("div.pool-bar", { role: "group", "aria-label": say("Pool") },
      h("label.field", {}, say("Policy"), this.policy), h("label.field", {}, say("Devices"), this.devices), this.pause, this.drain);
  }

  show(pool: Pool): void {
    this.pool = pool;
    // The others are for comparisons, and stand there only where one is in force.
    const present = pool.usual.find(({ name }) => name === pool.policy);
    const offered = present ? pool.usual : [...pool.usual, { name: pool.policy, title: pool.policy[0]!.toUpperCase() + pool.policy.slice(1) }];
    if (offered.length !== this.policy.length) {
      fill(this.policy, ...offered.map(({ name, title }) => h("option", { value: name }, title)));
    }
    this.policy.value = pool.policy;
    setAttributes(this.policy, { title: present?.meaning ?? null });
    setAttributes(this.pause, { "aria-pressed": String(pool.paused === true) });
    setAttributes(this.drain, { "aria-pressed": String(pool.draining === true) });
    // Not under the fingers of a person who is changing it.
    if (document.activeElement !== this.devices) this.devices.value = pool.devices ? String(pool.devices) : "";
  }

  private setDevices(): void {
    const isFit = this.devices.checkValidity() && (this.devices.value !== "" || !this.devices.validity.badInput);
    setAttributes(this.devices, { "aria-invalid": !isFit });
    if (!isFit) return this.say(say("The pool's devices are a whole number from 1 to {}, or empty for all.", mostDevices));
    void this.set({ devices: this.devices.value === "" ? 0 : this.devices.valueAsNumber });
  }

  private async set(change: PoolChange): Promise<void> {
    try {
      await api.configurePool(change);
      this.say("");
    } catch (error) {
      this.say((error as Error).message);
    }
    await this.reload();
  }

  private say(refusal: string): void {
    setText(this.answer, refusal);
    setAttributes(this.answer, { "data-tone": refusal === "" ? null : "bad" });
  }
}
