const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/** murmur2, 32 bits, as org.apache.kafka.common.utils.Utils computes it. */
export function murmur2(data: Uint8Array): number {
  const length = data.length;
  const view = new DataView(data.buffer, data.byteOffset, length);
  const wholeWordsEnd = length - (length % 4);
  let h = SEED ^ length;
  for (let i = 0; i < wholeWordsEnd; i += 4) {
    let k = Math.imul(view.getInt32(i, true), M);
    k ^= k >>> R;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const tail = length % 4;
  if (tail === 3) h ^= view.getUint8(wholeWordsEnd + 2) << 16;
  if (tail >= 2) h ^= view.getUint8(wholeWordsEnd + 1) << 8;
  if (tail >= 1) h = Math.imul(h ^ view.getUint8(wholeWordsEnd), M);
  h ^= h >>> 13;
  h = Math.imul(h, M);
  return h ^ (h >>> 15);
}

/** The partition of a key, the same that every Java client picks. */
export function partitionOfKey(key: string, partitionCount: number): number {
  return (murmur2(Buffer.from(key, "utf8")) & 0x7fffffff) % partitionCount;
}
