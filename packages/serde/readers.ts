// What reads the records of writers: one reader for each record and writer's schema id, kept for the life of the process.
import type { Host } from "#host";
import type { RecordName } from "#topics";
import { type AvroType, parseSchema, type RawSchema } from "./avro.ts";
import { PoisonRecordError } from "./errors.ts";

export interface Readers<R> {
  /** The reader, when the writer's schema is known already. */
  known(record: RecordName, writerId: number): R | undefined;
  /** Asks for the writer's schema; callers that ask at the same time share one request. */
  resolve(record: RecordName, writerId: number): Promise<R>;
}

export interface ReadersOptions<R> {
  /** Makes the reader of what was written with a schema. Throws a PoisonRecordError where that cannot be read as `record`. */
  newReader(record: RecordName, writer: RawSchema): R;
  schemaOf(writerId: number): Promise<RawSchema>;
  readonly host: Pick<Host, "now">;
}

/**
 * The time for which a schema that cannot be read counts as such: a burst of garbage must not become a burst
 * of requests.
 */
const UNKNOWN_FOR_MS = 30_000;
/** Garbage has many ids; only this many are remembered. */
const MAX_UNKNOWN = 1_000;

export function createReaders<R>({ newReader, schemaOf, host }: ReadersOptions<R>): Readers<R> {
  const reads = new Map<RecordName, Map<number, R>>();
  const asking = new Map<string, Promise<R>>();
  const unknown = new Map<string, { error: PoisonRecordError; untilMs: number }>();

  async function ask(key: string, record: RecordName, writerId: number): Promise<R> {
    try {
      const reader = newReader(record, await schemaOf(writerId));
      reads.set(record, (reads.get(record) ?? new Map<number, R>()).set(writerId, reader));
      return reader;
    } catch (error) {
      if (error instanceof PoisonRecordError) {
        if (unknown.size >= MAX_UNKNOWN) unknown.clear();
        unknown.set(key, { error, untilMs: host.now() + UNKNOWN_FOR_MS });
      }
      throw error;
    } finally {
      asking.delete(key);
    }
  }

  return {
    known: (record, writerId) => reads.get(record)?.get(writerId),
    resolve(record, writerId) {
      const key = `${record}:${writerId}`;
      const condemned = unknown.get(key);
      if (condemned !== undefined && condemned.untilMs > host.now()) return Promise.reject(condemned.error);
      const request = asking.get(key) ?? ask(key, record, writerId);
      asking.set(key, request);
      return request;
    },
  };
}

export function parseWriter(schema: RawSchema): AvroType {
  try {
    return parseSchema(schema);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PoisonRecordError("incompatible_schema", message);
  }
}
