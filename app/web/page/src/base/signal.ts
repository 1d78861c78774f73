// SPDX-License-Identifier: Apache-2.0
// Something that others can hear of. listen() returns what ends the listening.

export class Signal<T = void> {
  private readonly listeners = new Set<(value: T) => void>();

  listen(heard: (value: T) => void): () => void {
    this.listeners.add(heard);
    return () => this.listeners.delete(heard);
  }

  emit(value: T): void {
    for (const heard of [...this.listeners]) heard(value);
  }
}

/** Ends several things at once, last begun first. */
export class Endings {
  private readonly ends: (() => void)[] = [];

  add(...ends: (() => void)[]): void {
    this.ends.push(...ends);
  }

  /** A listener of the browser's own events. */
  on<K extends keyof WindowEventMap>(target: EventTarget, name: K, heard: (event: WindowEventMap[K]) => void,
    options?: AddEventListenerOptions): void {
    const listener = heard as EventListener;
    target.addEventListener(name, listener, options);
    this.add(() => target.removeEventListener(name, listener, options));
  }

  every(seconds: number, act: () => void): void {
    const timer = setInterval(act, 1000 * seconds);
    this.add(() => clearInterval(timer));
  }

  end(): void {
    for (const end of this.ends.splice(0).reverse()) end();
  }
}
