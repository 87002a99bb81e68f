import { zstdDecompressSync } from "node:zlib";

const AT = { descriptor: 4, fields: 5 };
/** Of the field that says how much a frame holds, by the descriptor's first two bits. */
const SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_BYTES = [0, 1, 2, 4];
/** A field of two bytes counts from here. */
const TWO_BYTES_FROM = 256;
/** No batch of ours holds more; what a frame says must not be allocated whatever it is. */
const MAX_AT_ONCE = 4 * 1024 * 1024;
const MIN_AT_ONCE = 64;

/**
 * Decompresses into one buffer of the size that the frame says. The runtime takes pieces of 16 KiB otherwise, and then copies them together: that
 * is most of the time, and for a small frame most of the memory.
 */
export function decompress(frame: Buffer): Buffer {
  const size = contentSize(frame);
  if (size === undefined || size > MAX_AT_ONCE) return zstdDecompressSync(frame);
  // One byte more: a buffer that is full is followed by another, as there could be more.
  return zstdDecompressSync(frame, { chunkSize: Math.max(size + 1, MIN_AT_ONCE) });
}

/** RFC 8878, 3.1.1.1. Undefined where the frame does not say it. */
function contentSize(frame: Buffer): number | undefined {
  const descriptor = frame[AT.descriptor];
  if (descriptor === undefined) return undefined;
  const isOneSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = SIZE_BYTES[descriptor >> 6] || (isOneSegment ? 1 : 0);
  const at = AT.fields + (isOneSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] as number);
  if (sizeBytes === 0 || at + sizeBytes > frame.length) return undefined;
  if (sizeBytes === 8) return Number(frame.readBigUInt64LE(at));
  return frame.readUIntLE(at, sizeBytes) + (sizeBytes === 2 ? TWO_BYTES_FROM : 0);
}
