import type { Timer } from "#host";

/** Something that happens at a time. */
export class Event implements Timer {
  readonly atMs: number;
  /** Which of those at the same time comes first. */
  readonly sequence: number;
  /** Undefined: it does not happen any more. */
  work: (() => void) | undefined;

  constructor(atMs: number, sequence: number, work: () => void) {
    this.atMs = atMs;
    this.sequence = sequence;
    this.work = work;
  }

  clear(): void {
    this.work = undefined;
  }
}

/** Events by time, then in the order in which they were planned: a binary heap. */
export class EventQueue {
  readonly #heap: Event[] = [];

  get head(): Event | undefined {
    return this.#heap[0];
  }

  /** The number of events that happen yet. */
  get planned(): number {
    return this.#heap.filter(({ work }) => work !== undefined).length;
  }

  push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  shift(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(event: Event): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      const below = heap[child];
      if (below === undefined || isBefore(event, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = event;
  }

  #earlierChild(at: number): number {
    const left = 2 * at + 1;
    const one = this.#heap[left];
    const other = this.#heap[left + 1];
    return one !== undefined && other !== undefined && isBefore(other, one) ? left + 1 : left;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.sequence < other.sequence);
}
