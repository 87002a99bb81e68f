// Some fields of a record as bytes of their own: what a process keeps of a record by the million.
import { type AvroType, createRead, type RawSchema, type Read, withFields } from "./avro.ts";
import { OverrunError } from "./bounds.ts";
import { PoisonRecordError } from "./errors.ts";
import { parseWriter } from "./readers.ts";
import { fieldsOf, type Skip } from "./skip.ts";
import { HEADER_BYTES } from "./wire.ts";

/** Copies a record's header and some of its fields, in their order, to bytes that nothing overwrites. Throws a PoisonRecordError for bytes that are no such record. */
type Cut = (bytes: Buffer) => Buffer;

/** Neighbours that are both kept, or both left out, are passed in one step. */
interface Run {
  readonly isKept: boolean;
  readonly skips: readonly Skip[];
}

function runsOf(writer: AvroType, kept: ReadonlySet<string>): Run[] {
  const runs: { isKept: boolean; skips: Skip[] }[] = [];
  for (const { name, skip } of fieldsOf(writer)) {
    const isKept = kept.has(name);
    const last = runs.at(-1);
    if (last?.isKept === isKept) last.skips.push(skip);
    else runs.push({ isKept, skips: [skip] });
  }
  return runs;
}

/** Of what one schema has written. */
export interface Excerpt {
  readonly cut: Cut;
  /** Reads what `cut` has made. */
  readonly read: Read;
}

/** `reader` has these fields alone. Throws a PoisonRecordError when the two do not resolve. */
export function createExcerpt(reader: AvroType, writer: RawSchema, fields: readonly string[]): Excerpt {
  return {
    cut: createCut(parseWriter(writer), fields),
    read: createRead(reader, withFields(writer, fields)),
  };
}

function createCut(writer: AvroType, fields: readonly string[]): Cut {
  const runs = runsOf(writer, new Set(fields));
  const slabs = new Slabs();
  return (bytes) => {
    slabs.begin(bytes.length);
    slabs.append(bytes, 0, HEADER_BYTES);
    let at = HEADER_BYTES;
    try {
      for (const { isKept, skips } of runs) {
        const from = at;
        for (const skip of skips) at = skip(bytes, at);
        if (isKept) slabs.append(bytes, from, at);
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new PoisonRecordError(error instanceof OverrunError ? "truncated" : "garbage", message);
    }
    if (at < bytes.length)
      throw new PoisonRecordError("garbage", `${bytes.length - at} bytes follow the record`);
    return slabs.cut();
  };
}

/** A call into the runtime takes longer than a loop over so many bytes. */
const COPIED_BY_LOOP = 48;

/** Larger ones would be held longer by the last excerpt in use: most excerpts are copied at once. */
const SLAB_BYTES = 16 * 1024;

/** Where excerpts are made. Allocating one by one would take longer than all the rest. */
class Slabs {
  #slab = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  begin(atMostBytes: number): void {
    this.#start = this.#end;
    if (this.#start + atMostBytes <= this.#slab.length) return;
    this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, atMostBytes));
    this.#start = 0;
    this.#end = 0;
  }

  append(bytes: Buffer, from: number, to: number): void {
    const [slab, end] = [this.#slab, this.#end];
    if (to - from > COPIED_BY_LOOP) bytes.copy(slab, end, from, to);
    else for (let at = from; at < to; at += 1) slab[end + at - from] = bytes[at] as number;
    this.#end = end + to - from;
  }

  cut(): Buffer {
    return this.#slab.subarray(this.#start, this.#end);
  }
}
