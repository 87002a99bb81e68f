import { type Host, systemHost } from "#host";
import type { RecordName, RecordTypes, Topic } from "#topics";
import { createRead, parseSchema, type RawSchema, type Read, withFields } from "./avro.ts";
import { untilAnswered } from "./back-off.ts";
import { PoisonRecordError, RegistryUnavailableError } from "./errors.ts";
import { createExcerpt, type Excerpt } from "./excerpts.ts";
import { createReaders, parseWriter, type Readers } from "./readers.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { readSchema } from "./schemas.ts";
import { createEncoder, HEADER_BYTES, headerOf, writerId } from "./wire.ts";

export interface SerdeOptions {
  /** Base URL of the registry's Confluent-compatible API. */
  readonly registryUrl: string;
  /** The topics that are written or read through this serde. */
  readonly topics: readonly Topic[];
  readonly requestTimeoutMs?: number;
  /** Called each time before the registry is asked again. */
  readonly onUnavailable?: (error: RegistryUnavailableError, retryInMs: number) => void;
  /** Time; the machine's own unless given. */
  readonly host?: Host;
  /** Another registry than the one at `registryUrl`. */
  readonly registry?: Registry;
  /** The schema of a record; the files in schemas/ unless a test sets others. */
  readonly schemaOf?: (record: RecordName) => RawSchema;
}

export interface RegisteredSubject {
  readonly subject: string;
  readonly schemaId: number;
  /** False when exactly this schema was there already. */
  readonly added: boolean;
}

/** Records to bytes in the registry's wire format, and back. */
export interface Serde {
  /**
   * Registers the schema of every topic under `<topic>-value` with BACKWARD compatibility (provisioning). Rejects with an
   * IncompatibleSchemaError, or a RegistryUnavailableError at the first request that gets no answer.
   */
  register(): Promise<RegisteredSubject[]>;
  /**
   * Subjects of the topics under which the registry does not have this version's schema. Rejects with a RegistryUnavailableError at the
   * first request that gets no answer.
   */
  missing(): Promise<string[]>;
  /** Resolves once the registry has named the id of every topic's schema; waits while it is away or provisioning is not through. */
  start(): Promise<void>;
  /** Throws an InvalidRecordError when the value does not fit; needs `start` or `register` before. */
  encode<R extends RecordName>(topic: Topic<R>, value: RecordTypes[R]): Buffer;
  /**
   * The bytes in front of each record that `encode` writes: for code that reads or writes records directly.
   */
  header(topic: Topic): Buffer;
  /**
   * Synchronous once the writer's schema is known; before, a promise that waits for the registry as long as it takes.
   * Throws, or rejects with, a PoisonRecordError; after `close` a promise rejects with a RegistryUnavailableError. null, the value of a
   * tombstone, is poison too: a reader for which a tombstone means something asks for it before it decodes.
   */
  decode<R extends RecordName>(
    topic: Topic<R>,
    bytes: Buffer | null,
  ): RecordTypes[R] | Promise<RecordTypes[R]>;
  /**
   * Makes a `decode` that reads only these fields of the topic's records. Bytes that end too early or too late are found all the same,
   * and what it has read, `decode` reads synchronously.
   */
  decodeFields<R extends RecordName, F extends keyof RecordTypes[R] & string>(
    topic: Topic<R>,
    fields: readonly F[],
  ): (bytes: Buffer | null) => Pick<RecordTypes[R], F> | Promise<Pick<RecordTypes[R], F>>;
  /** Makes what keeps only these fields of the topic's records, as bytes. */
  excerpts<R extends RecordName, F extends keyof RecordTypes[R] & string>(
    topic: Topic<R>,
    fields: readonly F[],
  ): Excerpts<Pick<RecordTypes[R], F>>;
  /** Ends all waiting. */
  close(): void;
}

/** Some fields of records, as bytes that are shorter than the records. */
interface Excerpts<V> {
  /** The fields' bytes. Synchronous, waits and throws as `decode` does; bytes that end too early or too late are found all the same. */
  cut(bytes: Buffer | null): Buffer | Promise<Buffer>;
  /** Reads what `cut` has made. */
  read(cut: Buffer | null): V;
}

const REQUEST_TIMEOUT_MS = 5_000;

export function createSerde(options: SerdeOptions): Serde {
  const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const registry = options.registry ?? createRegistry(options.registryUrl, requestTimeoutMs);
  const schemaOf = options.schemaOf ?? readSchema;
  const types = new Map(options.topics.map(({ record }) => [record, parseSchema(schemaOf(record))]));
  const schemaIds = new Map<string, number>();
  const closing = new AbortController();
  const host = options.host ?? systemHost;
  const onUnavailable = options.onUnavailable ?? (() => undefined);
  const waiting = { host, signal: closing.signal, onUnavailable };
  const encoder = createEncoder();
  const typeOf = (record: RecordName) => known(types.get(record), `the record ${record}`);
  const readersOf: NewReaders = (newReader) =>
    createReaders({
      newReader,
      schemaOf: (id) => untilAnswered(() => registry.schemaOf(id), waiting),
      host,
    });
  const readers = readersOf((record, writer) => createRead(typeOf(record), parseWriter(writer)));

  async function registerTopic({ name, record }: Topic): Promise<RegisteredSubject> {
    const subject = subjectOf(name);
    const existing = await registry.idOf(subject, schemaOf(record));
    await registry.requireBackwardCompatibility(subject);
    const schemaId = existing ?? (await registry.register(subject, schemaOf(record)));
    schemaIds.set(name, schemaId);
    return { subject, schemaId, added: existing === undefined };
  }

  async function findTopic({ name, record }: Topic): Promise<void> {
    const subject = subjectOf(name);
    const id = await registry.idOf(subject, schemaOf(record));
    if (id === undefined) {
      throw new RegistryUnavailableError(`${subject} does not have this version's schema yet: provision it`);
    }
    schemaIds.set(name, id);
  }

  return {
    async register() {
      const registered: RegisteredSubject[] = [];
      for (const topic of options.topics) registered.push(await registerTopic(topic));
      return registered;
    },
    async missing() {
      const subjects: string[] = [];
      for (const { name, record } of options.topics) {
        const subject = subjectOf(name);
        if ((await registry.idOf(subject, schemaOf(record))) === undefined) subjects.push(subject);
      }
      return subjects;
    },
    async start() {
      await Promise.all(options.topics.map((topic) => untilAnswered(() => findTopic(topic), waiting)));
    },
    encode: ({ name, record }, value) =>
      encoder.encode(typeOf(record), known(schemaIds.get(name), `the schema id of ${name}`), value),
    header: ({ name }) => headerOf(known(schemaIds.get(name), `the schema id of ${name}`)),
    // The reader's schema is the one that RecordTypes is generated from, so what it reads has that type.
    decode: <R extends RecordName>({ record }: Topic<R>, bytes: Buffer | null) =>
      decodeWith<RecordTypes[R]>(readers, record, bytes),
    ...partsOf(readersOf, readers, schemaOf),
    close: () => closing.abort(),
  };
}

type NewReaders = <T>(newReader: (record: RecordName, writer: RawSchema) => T) => Readers<T>;

/** Makes what reads or keeps some fields of records. */
function partsOf(
  readersOf: NewReaders,
  readers: Readers<Read>,
  schemaOf: (record: RecordName) => RawSchema,
): Pick<Serde, "decodeFields" | "excerpts"> {
  return {
    decodeFields<R extends RecordName, F extends keyof RecordTypes[R] & string>(
      { record }: Topic<R>,
      fields: readonly F[],
    ) {
      const reader = withFields(schemaOf(record), fields);
      const { known: knownRead, resolve } = readersOf((_, writer) => createRead(reader, parseWriter(writer)));
      const both = {
        known: knownRead,
        resolve: (name: RecordName, id: number) => readers.resolve(name, id).then(() => resolve(name, id)),
      };
      return (bytes: Buffer | null) => decodeWith<Pick<RecordTypes[R], F>>(both, record, bytes);
    },
    excerpts<R extends RecordName, F extends keyof RecordTypes[R] & string>(
      { record }: Topic<R>,
      fields: readonly F[],
    ) {
      const reader = withFields(schemaOf(record), fields);
      const excerpts = readersOf((_, writer) => createExcerpt(reader, writer, fields));
      return excerptsOf<Pick<RecordTypes[R], F>>(excerpts, record);
    },
  };
}

function decodeWith<V>(readers: Readers<Read>, record: RecordName, bytes: Buffer | null): V | Promise<V> {
  const { id, value } = framed(bytes);
  const read = readers.known(record, id);
  if (read !== undefined) return read(value, HEADER_BYTES) as V;
  return readers.resolve(record, id).then((resolved) => resolved(value, HEADER_BYTES) as V);
}

function excerptsOf<V>(readers: Readers<Excerpt>, record: RecordName): Excerpts<V> {
  return {
    cut(bytes) {
      const { id, value } = framed(bytes);
      const excerpt = readers.known(record, id);
      return excerpt?.cut(value) ?? readers.resolve(record, id).then((resolved) => resolved.cut(value));
    },
    read(bytes) {
      const { id, value } = framed(bytes);
      const excerpt = known(readers.known(record, id), `the excerpt of schema ${id}`);
      return excerpt.read(value, HEADER_BYTES) as V;
    },
  };
}

function framed(bytes: Buffer | null): { readonly id: number; readonly value: Buffer } {
  if (bytes === null) throw new PoisonRecordError("not_avro", "the record is a tombstone: it has no value");
  return { id: writerId(bytes), value: bytes };
}

/** Subject of a topic's values, as every client of the registry names it. */
function subjectOf(topicName: string): string {
  return `${topicName}-value`;
}

function known<T>(value: T | undefined, what: string): T {
  if (value === undefined)
    throw new Error(`the serde does not know ${what}: is its topic given, and is it started?`);
  return value;
}
