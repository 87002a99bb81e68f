/** Runs work one after the other, per key. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take<R>(key: string, work: () => Promise<R>): Promise<R> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    // The turn drops its result, which would stay in memory until the next.
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    return turn;
  }
}
