export type { PoisonCode } from "./errors.ts";
export {
  IncompatibleSchemaError,
  InvalidRecordError,
  PoisonRecordError,
  RegistryUnavailableError,
} from "./errors.ts";
export { recordFromJson, recordToJson } from "./json.ts";
export type { Registry } from "./registry.ts";
export type { RegisteredSubject, Serde, SerdeOptions } from "./serde.ts";
export { createSerde } from "./serde.ts";
export { writerId } from "./wire.ts";
