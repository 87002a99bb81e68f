// The registry's wire format: a zero byte, the writer's schema id as four bytes big-endian, the Avro body.
import { type AvroType, invalidPaths } from "./avro.ts";
import { InvalidRecordError, PoisonRecordError } from "./errors.ts";

const MAGIC_BYTE = 0;
export const HEADER_BYTES = 5;

/**
 * Records are cut from slabs: allocating one by one costs three times as much as encoding (1.7 µs to 0.6). The first slab is small and
 * each is twice as large as the one before, up to this size: a process has several serdes, and most of them write little or nothing.
 */
const SLAB_BYTES = 256 * 1024;
const FIRST_SLAB_BYTES = 4 * 1024;

/** The writer's schema id of a value. */
export function writerId(bytes: Buffer): number {
  if (bytes.length === 0 || bytes[0] !== MAGIC_BYTE) {
    throw new PoisonRecordError("not_avro", "the value does not begin with the registry's wire format");
  }
  if (bytes.length < HEADER_BYTES) {
    throw new PoisonRecordError("truncated", "the value ends inside its header");
  }
  return bytes.readUInt32BE(1);
}

export function headerOf(schemaId: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, MAGIC_BYTE);
  header.writeUInt32BE(schemaId, 1);
  return header;
}

/** Encodes records into slabs; each result is a slice that nothing overwrites. */
export interface Encoder {
  encode(type: AvroType, schemaId: number, value: unknown): Buffer;
}

export function createEncoder(slabBytes: number = SLAB_BYTES): Encoder {
  let nextBytes = Math.min(FIRST_SLAB_BYTES, slabBytes);
  let slab = Buffer.alloc(0);
  let used = 0;
  return {
    encode(type, schemaId, value) {
      const room = slab.length - used;
      let end = writeBody({ type, value, slab, start: used });
      if (end < 0) {
        slab = Buffer.allocUnsafeSlow(Math.max(nextBytes, room - end));
        nextBytes = Math.min(2 * nextBytes, slabBytes);
        used = 0;
        end = writeBody({ type, value, slab, start: used });
      }
      const framed = slab.subarray(used, end);
      framed[0] = MAGIC_BYTE;
      framed.writeUInt32BE(schemaId, 1);
      used = end;
      return framed;
    },
  };
}

interface Writing {
  readonly type: AvroType;
  readonly value: unknown;
  readonly slab: Buffer;
  readonly start: number;
}

/** Leaves room for the header. Returns where the record ends; negative: how many bytes the slab is too short. */
function writeBody({ type, value, slab, start }: Writing): number {
  try {
    return type.encode(value, slab, start + HEADER_BYTES);
  } catch {
    // avsc's own message quotes the value, which may be a customer's.
    const paths = invalidPaths(type, value).join(", ");
    throw new InvalidRecordError(`${type.name ?? "record"} does not fit its schema at: ${paths}`);
  }
}
