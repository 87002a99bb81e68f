/** What is waited for until it holds. */
export class Conditions {
  readonly #checks = new Set<() => void>();

  /** Resolves as soon as `holds`, looked at now and with each `look`. */
  when(holds: () => boolean): Promise<void> & { cancel(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = (): void => void this.#checks.delete(check);
    const check = (): void => {
      if (!holds()) return;
      cancel();
      resolve();
    };
    this.#checks.add(check);
    check();
    return Object.assign(promise, { cancel });
  }

  look(): void {
    for (const check of this.#checks) check();
  }
}
