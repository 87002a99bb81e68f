// The progress of one pass with one destination's waiting jobs in one partition of a retry topic. Pure.

/** Jobs that may come back into the retry topics before a destination is let be: some calls fail for reasons of their own. */
const MAX_RETURNED = 10;

/** One destination in one partition of one retry topic. Offsets are seen in ascending order. */
export class WakeProgress {
  /** Some stay because the destination's own limits had no turn for them just then. */
  isPutOff = false;
  /** Offsets in hand, in ascending order, so the first is the lowest. */
  readonly #inHand = new Set<number>();
  /** First offset that will not be taken any more. */
  #stoppedAt: number | undefined;
  /** First offset of a job that was left where it is. */
  #leftAt: number | undefined;
  #isLetBe = false;
  #taken = 0;
  #returned = 0;

  get taken(): number {
    return this.#taken;
  }

  /** Jobs that went back into a retry topic or to the dead letters. */
  get returned(): number {
    return this.#returned;
  }

  /** Nothing more is taken of the destination. */
  get isStopped(): boolean {
    return this.#stoppedAt !== undefined;
  }

  /** Every job has ended or keeps its time for good reason: nothing was stopped but for the sake of those that come back. */
  get isWhole(): boolean {
    return this.#inHand.size === 0 && (!this.isStopped || this.#isLetBe);
  }

  /** More of them end than come back. */
  get isGettingThrough(): boolean {
    return this.#taken > this.#returned;
  }

  /** False: the destination is let be, from this job on. */
  take(offset: number): boolean {
    // Most of what is woken comes back: the endpoint is not well yet, and its jobs had better keep their schedule.
    if (!this.isStopped && this.#returned > MAX_RETURNED && this.#returned * 2 > this.#taken) {
      this.#isLetBe = true;
      this.stop(offset);
    }
    if (this.isStopped) return false;
    this.#taken += 1;
    this.#inHand.add(offset);
    return true;
  }

  /** Lets this one job be, which keeps its time; those behind it are taken all the same. */
  leave(offset: number): void {
    this.#leftAt ??= offset;
  }

  /** Lets the destination be from this job on, which was not taken. */
  stop(offset: number): void {
    this.#stoppedAt ??= offset;
  }

  /** The same, until a later pass finds a turn. */
  putOff(offset: number): void {
    this.isPutOff = true;
    this.stop(offset);
  }

  /** Notes that the job's outcome is durable; `isBack`: it waits again, or is a dead letter. */
  durable(offset: number, { isBack }: { readonly isBack: boolean }): void {
    this.#inHand.delete(offset);
    if (isBack) this.#returned += 1;
  }

  /** Every job of the destination below was taken care of, durably; `readTo` is the first offset the pass has not seen. */
  belowOffset(readTo: number): number {
    const [lowest] = this.#inHand;
    return Math.min(lowest ?? readTo, this.#stoppedAt ?? readTo, this.#leftAt ?? readTo);
  }
}
