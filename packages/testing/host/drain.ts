/** Node's own, which it runs after each callback: all microtasks, then the rejections that nobody has handled. Not documented. */
interface Draining {
  readonly _tickCallback: () => void;
}

/**
 * Lets every promise go on that can, until none can. A turn of the real event loop would do the same and takes five times as long (13 µs
 * instead of 2.4). It does nothing when it is called from a promise itself.
 */
export const drainMicrotasks: () => void = (process as unknown as Draining)._tickCallback;
