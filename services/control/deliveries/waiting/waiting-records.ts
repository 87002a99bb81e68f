// What of the records of one partition is kept to count them: 24 bytes of a record, and no object, as millions may wait.
import type { RawRecord } from "#kafka";

const CHUNK_RECORDS = 1_024;

/** Records in a row. Written only here. */
interface Chunk {
  length: number;
  readonly firstOffset: number;
  /** From the first one's on. */
  readonly offsets: Uint32Array;
  readonly timesMs: Float64Array;
  readonly groups: Uint32Array;
  readonly jobs: Float64Array;
}

/** A record as it is kept. */
export interface KeptRecord extends Pick<RawRecord, "offset" | "timestampMs"> {
  /** What it counts as: a number that the caller has given it. */
  readonly group: number;
  /** Copies of a job have one number. */
  readonly job: number;
}

export class WaitingRecords {
  #chunks: Chunk[] = [];
  #size = 0;
  #firstOffset: number;
  /** Where reading goes on. */
  nextOffset: number;

  constructor(firstOffset: number) {
    this.#firstOffset = firstOffset;
    this.nextOffset = firstOffset;
  }

  /** Nothing that stands before it is kept for certain. */
  get firstOffset(): number {
    return this.#firstOffset;
  }

  get size(): number {
    return this.#size;
  }

  /** Behind all that are there. */
  add({ group, job, offset, timestampMs }: KeptRecord): void {
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length === CHUNK_RECORDS || offset - chunk.firstOffset > 0xffffffff) {
      chunk = newChunk(offset);
      this.#chunks.push(chunk);
    }
    const at = chunk.length;
    chunk.offsets[at] = offset - chunk.firstOffset;
    chunk.timesMs[at] = timestampMs;
    chunk.groups[at] = group;
    chunk.jobs[at] = job;
    chunk.length = at + 1;
    this.#size += 1;
  }

  /** Forgets what stands before the offset, but for less than a chunk. */
  dropBefore(offset: number, onDropped: (group: number) => void): void {
    const kept = this.#chunks.findIndex((chunk) => lastOffset(chunk) >= offset);
    const dropped = this.#chunks.splice(0, kept < 0 ? this.#chunks.length : kept);
    for (const { groups, length } of dropped) {
      for (let at = 0; at < length; at += 1) onDropped(groups[at] ?? 0);
      this.#size -= length;
    }
    this.#firstOffset = Math.max(this.#firstOffset, offset);
    this.nextOffset = Math.max(this.nextOffset, offset);
  }

  /** Those from the offset on, some at a time. */
  *from(offset: number): Generator<readonly KeptRecord[]> {
    for (const chunk of this.#chunks) yield recordsOf(chunk).filter((record) => record.offset >= offset);
  }
}

function newChunk(firstOffset: number): Chunk {
  return {
    length: 0,
    firstOffset,
    offsets: new Uint32Array(CHUNK_RECORDS),
    timesMs: new Float64Array(CHUNK_RECORDS),
    groups: new Uint32Array(CHUNK_RECORDS),
    jobs: new Float64Array(CHUNK_RECORDS),
  };
}

function lastOffset({ firstOffset, length, offsets }: Chunk): number {
  return firstOffset + (offsets[length - 1] ?? 0);
}

function recordsOf({ firstOffset, groups, jobs, length, offsets, timesMs }: Chunk): KeptRecord[] {
  return Array.from({ length }, (_, at) => ({
    offset: firstOffset + (offsets[at] ?? 0),
    timestampMs: timesMs[at] ?? 0,
    group: groups[at] ?? 0,
    job: jobs[at] ?? 0,
  }));
}
