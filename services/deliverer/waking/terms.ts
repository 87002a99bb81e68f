/** A term begins when partitions are given out; it is known when their last owners' cursors were read after that. */
export function createTerms(readCursors: () => Promise<void>) {
  let given = 0;
  let readOf = 0;
  let reading: Promise<void> | undefined;
  async function read(term: number): Promise<void> {
    try {
      await readCursors();
      // The later one of two may have ended first.
      readOf = Math.max(readOf, term);
    } catch (thrown) {
      reading = undefined;
      throw thrown;
    }
  }
  const known = (): Promise<void> => {
    reading ??= read(given);
    return reading;
  };
  return {
    begin(): void {
      given += 1;
      reading = undefined;
      // Also where no partition of a retry topic is opened now: passes look at those that stay.
      known().catch(() => undefined);
    },
    isKnown: () => readOf === given,
    known,
  };
}
