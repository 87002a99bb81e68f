/** Lets a few pieces of work go on beside each other; the others wait, in the order in which they came. */
export class SideBySide {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#underWay >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      await work();
    } finally {
      // Who waits longest takes the place over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}
