// Moving over Avro values without reading them: no text is decoded and no object made.
import type { AvroType } from "./avro.ts";
import { OverrunError } from "./bounds.ts";

/** Returns where the value that begins at `at` ends. Throws an OverrunError, or a TypeError for what is no value of the type. */
export type Skip = (bytes: Buffer, at: number) => number;

/** The library's types, as far as they are looked into. */
interface Shape {
  readonly typeName: string;
  readonly size?: number;
  readonly itemsType?: AvroType;
  readonly valuesType?: AvroType;
  readonly types?: readonly AvroType[];
  readonly symbols?: readonly string[];
  readonly fields?: readonly { readonly name: string; readonly type: AvroType }[];
}

/** A record type refers to itself where it is recursive. */
type Known = Map<AvroType, Skip>;

export function skipOf(type: AvroType, known: Known = new Map()): Skip {
  const made = known.get(type);
  if (made !== undefined) return made;
  let skip: Skip | undefined;
  known.set(type, (bytes, at) => (skip as Skip)(bytes, at));
  skip = newSkip(type as unknown as Shape, known);
  known.set(type, skip);
  return skip;
}

/** The fields of a record, in the order in which they are written. */
export function fieldsOf(record: AvroType): { readonly name: string; readonly skip: Skip }[] {
  const known: Known = new Map();
  const { fields = [] } = record as unknown as Shape;
  return fields.map(({ name, type }) => ({ name, skip: skipOf(type, known) }));
}

function newSkip(type: Shape, known: Known): Skip {
  const of = (inner: AvroType | undefined) => skipOf(inner as AvroType, known);
  switch (type.typeName) {
    case "null":
      return (_, at) => at;
    case "boolean":
      return fixed(1);
    case "float":
      return fixed(4);
    case "double":
      return fixed(8);
    case "fixed":
      return fixed(type.size ?? 0);
    case "int":
    case "long":
      return skipNumber;
    case "enum":
      return enumeration(type.symbols?.length ?? 0);
    case "bytes":
    case "string":
      return skipBytes;
    case "array":
      return blocks(of(type.itemsType));
    case "map":
      return blocks(sequence([skipBytes, of(type.valuesType)]));
    case "record":
      return sequence((type.fields ?? []).map((field) => of(field.type)));
    default:
      // "union:unwrapped"; our schemas have no logical types.
      return union((type.types ?? []).map(of));
  }
}

function within(end: number, bytes: Buffer): number {
  if (end > bytes.length) throw new OverrunError("the value ends inside a field");
  return end;
}

function fixed(sizeBytes: number): Skip {
  return (bytes, at) => within(at + sizeBytes, bytes);
}

/** A bit in a byte of a number: another byte follows. */
const CONTINUED = 0x80;

function skipNumber(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] as number) >= CONTINUED) at += 1;
  return within(at + 1, bytes);
}

/** Reads a number that counts something; a larger one than 2^53 is not exact, and more than any record has bytes. */
function numberAt(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === undefined) throw new OverrunError("the value ends inside a field");
  if (first < CONTINUED) return (first >>> 1) ^ -(first & 1);
  let [sum, factor, at, byte] = [first - CONTINUED, CONTINUED, from, first];
  while (byte >= CONTINUED) {
    at += 1;
    if (at >= bytes.length) throw new OverrunError("the value ends inside a field");
    byte = bytes[at] as number;
    sum += (byte % CONTINUED) * factor;
    factor *= CONTINUED;
  }
  return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
}

function skipBytes(bytes: Buffer, at: number): number {
  const length = numberAt(bytes, at);
  if (length < 0) throw new TypeError("a length is negative");
  return within(skipNumber(bytes, at) + length, bytes);
}

function sequence(fields: readonly Skip[]): Skip {
  return (bytes, from) => {
    let at = from;
    for (const skip of fields) at = skip(bytes, at);
    return at;
  };
}

function union(branches: readonly Skip[]): Skip {
  return (bytes, at) => {
    const branch = branches[numberAt(bytes, at)];
    if (branch === undefined) throw new TypeError("a union has no such branch");
    return branch(bytes, skipNumber(bytes, at));
  };
}

function enumeration(symbols: number): Skip {
  return (bytes, at) => {
    const symbol = numberAt(bytes, at);
    if (symbol < 0 || symbol >= symbols) throw new TypeError("an enumeration has no such symbol");
    return skipNumber(bytes, at);
  };
}

/** Elements of arrays and maps are skipped one by one: the size that a block may announce could point backwards for ever. */
function blocks(element: Skip): Skip {
  return (bytes, from) => {
    let at = from;
    for (;;) {
      const announced = numberAt(bytes, at);
      at = skipNumber(bytes, at);
      if (announced === 0) return at;
      if (announced < 0) at = skipNumber(bytes, at);
      const elements = Math.abs(announced);
      // Every element of our arrays and maps takes a byte or more.
      within(at + elements, bytes);
      for (let left = elements; left > 0; left -= 1) at = element(bytes, at);
    }
  };
}
