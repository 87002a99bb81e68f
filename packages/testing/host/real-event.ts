/** Runs `work` in an event of the real event loop, where microtasks can be drained; resolves to what it returns. */
export function inRealEvent<R>(work: () => R): Promise<R> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
}
