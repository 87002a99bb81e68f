/**
 * What is wrong with an undecodable record. A closed list: it is also a metric label.
 * - not_avro: the value does not begin with the registry's wire format
 * - unknown_schema: the registry has no schema of that id
 * - incompatible_schema: the schema exists, but is no schema that the reader can read
 * - truncated: the value ends inside a field
 * - garbage: the bytes are no record of the writer's schema
 */
export type PoisonCode = "not_avro" | "unknown_schema" | "incompatible_schema" | "truncated" | "garbage";

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

/** The registry gave no usable answer: nothing is known about the record, so wait and ask again. */
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
