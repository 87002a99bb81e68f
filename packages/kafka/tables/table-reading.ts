import { isPromise } from "../decoding.ts";
import type { TableOptions, TableValues } from "../table-types.ts";
import type { RawRecord } from "../types.ts";
import { DecodedValues, EncodedValues, NoValues } from "./table-values.ts";

/** What a table takes of a record. */
export interface Taken<L> {
  readonly told: L;
  /** The bytes that the table keeps of the value, if it keeps bytes. */
  readonly kept: Buffer;
}

/** How a table reads its records, and where it keeps what it takes of them. */
export interface TableReading<V, L> {
  readonly values: TableValues<V, L>;
  /** Of a record that has a value. */
  read(record: RawRecord): Taken<L> | Promise<Taken<L>>;
}

export function tableReading<V extends L, L>(options: TableOptions<V, L>): TableReading<V, L> {
  const { topic, keepsValues, values } = options;
  if (values !== undefined) return { values, read: readBytes(options) };
  const decode = (record: RawRecord) => options.decode(record);
  if (keepsValues === false) return { values: new NoValues<V>(), read: (record) => whole(record, decode) };
  if (options.excerpt === undefined && options.decodeForListeners === undefined)
    return { values: new DecodedValues<V>(), read: (record) => whole(record, decode) };
  return { values: new EncodedValues<V>(topic, decode), read: readBytes(options) };
}

function whole<L>(
  record: RawRecord,
  decode: (record: RawRecord) => L | Promise<L>,
): ReturnType<TableReading<L, L>["read"]> {
  return mapped(decode(record), (told) => ({ told, kept: bytesOf(record) }));
}

function readBytes<V extends L, L>(options: TableOptions<V, L>): TableReading<V, L>["read"] {
  const keptOf = options.excerpt?.bind(options) ?? bytesOf;
  const told = (record: RawRecord): L | Promise<L> =>
    options.decodeForListeners?.(record) ?? options.decode(record);
  return (record) =>
    mapped(keptOf(record), (kept) =>
      mapped(told(kept === record.value ? record : { ...record, value: kept }), (value) => ({
        told: value,
        kept,
      })),
    );
}

function bytesOf({ value }: RawRecord): Buffer {
  return value ?? Buffer.alloc(0);
}

/** At once where the value is there. */
function mapped<A, B>(value: A | Promise<A>, by: (value: A) => B | Promise<B>): B | Promise<B> {
  return isPromise(value) ? value.then(by) : by(value);
}
