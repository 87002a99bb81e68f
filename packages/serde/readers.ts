// Readers of what writers wrote: one for each record and writer's schema id, kept for the life of the
// process.
import type { Host } from "#host";
import type { RecordName } from "#topics";
import { type AvroType, createRead, parseSchema, type RawSchema, type Read } from "./avro.ts";
import { PoisonRecordError } from "./errors.ts";

export interface Readers {
  /** The reader, when the writer's schema is known already. */
  known(record: RecordName, writerId: number): Read | undefined;
  /** Asks for the writer's schema; callers that ask at the same time share one request. */
  resolve(record: RecordName, writerId: number): Promise<Read>;
}

export interface ReadersOptions {
  typeOf(record: RecordName): AvroType;
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

export function createReaders({ typeOf, schemaOf, host }: ReadersOptions): Readers {
  const reads = new Map<RecordName, Map<number, Read>>();
  const asking = new Map<string, Promise<Read>>();
  const unknown = new Map<string, { error: PoisonRecordError; untilMs: number }>();

  async function ask(key: string, record: RecordName, writerId: number): Promise<Read> {
    try {
      const read = createRead(typeOf(record), parseWriter(await schemaOf(writerId)));
      reads.set(record, (reads.get(record) ?? new Map<number, Read>()).set(writerId, read));
      return read;
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

function parseWriter(schema: RawSchema): AvroType {
  try {
    return parseSchema(schema);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new PoisonRecordError("incompatible_schema", message);
  }
}
