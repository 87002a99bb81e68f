/**
 * What is wrong with an undecodable record: only what its own bytes show, or a schema that the registry has given.
 * - not_avro: the value does not begin with the registry's wire format
 * - incompatible_schema: the registry has given the schema, and it is none that the reader can read
 * - truncated: the value ends inside a field
 * - garbage: the bytes are no record of the writer's schema
 */
export type PoisonCode = "not_avro" | "incompatible_schema" | "truncated" | "garbage";

/** Bytes that no waiting makes readable: the record belongs into the dead letters. */
export class PoisonRecordError extends Error {
  override readonly name = "PoisonRecordError";
  readonly canRetry = false;
  readonly code: PoisonCode;

  constructor(code: PoisonCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The registry gave no usable answer, or does not have the schema: nothing is known about the record, so wait and ask again. A writer
 * only uses ids that the registry has given out, so one that it does not have is the registry's trouble: an empty one in its
 * place, a wrong address, a replica that lags behind.
 */
export class RegistryUnavailableError extends Error {
  override readonly name = "RegistryUnavailableError";
  readonly code = "registry_unavailable";
  readonly canRetry = true;
}

/** The registry refuses the schema: it cannot read what older writers wrote under this subject. */
export class IncompatibleSchemaError extends Error {
  override readonly name = "IncompatibleSchemaError";
  readonly code = "incompatible_schema";
  readonly canRetry = false;
}

/** A value of our own does not fit its schema: a bug at the caller. Names the fields, never their values. */
export class InvalidRecordError extends Error {
  override readonly name = "InvalidRecordError";
  readonly code = "invalid_record";
  readonly canRetry = false;
}
