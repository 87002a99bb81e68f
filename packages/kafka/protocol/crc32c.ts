/** Castagnoli's polynomial, reflected. */
const POLYNOMIAL = 0x82f63b78;

const WIDTH = 8;

/** Eight tables of 256, so that eight bytes take one round ("slicing by eight"); one byte a round is four times slower. */
const TABLES = buildTables();

function buildTables(): Int32Array[] {
  const tables = Array.from({ length: WIDTH }, () => new Int32Array(256));
  const [first, ...rest] = tables as [Int32Array, ...Int32Array[]];
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    first[byte] = crc;
  }
  let previous = first;
  for (const table of rest) {
    for (let byte = 0; byte < 256; byte += 1) {
      const crc = previous[byte] ?? 0;
      table[byte] = (first[crc & 0xff] ?? 0) ^ (crc >>> 8);
    }
    previous = table;
  }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** CRC-32C of `data` from `start` to its end, as an unsigned number: what a record batch is sealed with. */
export function crc32c(data: Buffer, start: number): number {
  let crc = -1;
  let at = start;
  for (const last = data.length - WIDTH; at <= last; at += WIDTH) {
    crc ^= data.readInt32LE(at);
    const high = data.readInt32LE(at + 4);
    crc =
      at8(T7, crc) ^
      at8(T6, crc >>> 8) ^
      at8(T5, crc >>> 16) ^
      at8(T4, crc >>> 24) ^
      at8(T3, high) ^
      at8(T2, high >>> 8) ^
      at8(T1, high >>> 16) ^
      at8(T0, high >>> 24);
  }
  for (; at < data.length; at += 1) crc = at8(T0, crc ^ (data[at] ?? 0)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function at8(table: Int32Array, index: number): number {
  return table[index & 0xff] as number;
}
