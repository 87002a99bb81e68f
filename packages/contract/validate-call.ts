import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { BATCH_ROOT_SCHEMA, CALL_SCHEMAS, WELL_FORMED } from "./call-schema.ts";
import { CALL_TYPES, type CallType } from "./call-types.ts";
import { describeJson, isJsonObject, type JsonObject } from "./json.ts";
import type { Rejection } from "./reasons/rejections.ts";

/** A call whose schema held: the fields that rules name have their types. */
export interface ValidCall extends JsonObject {
  readonly userId?: string | null;
  readonly anonymousId?: string | null;
  readonly previousId?: string | null;
  readonly messageId?: string | null;
  readonly event?: string | null;
  readonly context?: JsonObject | null;
  readonly integrations?: JsonObject | null;
}

interface Validators {
  readonly call: Readonly<Record<CallType, ValidateFunction<ValidCall>>>;
  readonly batchRoot: ValidateFunction;
}

let compiled: Validators | undefined;

/** Compiled at the first use: most processes that use the contract validate nothing. */
function validators(): Validators {
  if (compiled !== undefined) return compiled;
  // `verbose` gives an error its subschema, where the rejection stands. No strict mode: `rejection` is no standard keyword
  // and a subschema of `allOf` repeats no type.
  const ajv = new Ajv({ verbose: true, strict: false, allowUnionTypes: true });
  ajv.addKeyword("rejection");
  ajv.addFormat(WELL_FORMED, (text: string) => text.isWellFormed());
  const entries = CALL_TYPES.map((type) => [type, ajv.compile<ValidCall>(CALL_SCHEMAS[type])] as const);
  compiled = {
    call: Object.fromEntries(entries) as Validators["call"],
    batchRoot: ajv.compile(BATCH_ROOT_SCHEMA),
  };
  return compiled;
}

/**
 * Compiles the validation, for a process that has more to do when its first call comes: compiling takes tens
 * of milliseconds.
 */
export function prepareValidation(): void {
  validators();
}

/** The last error is the outermost one: of an anyOf itself, not of one of its branches. */
function toRejection(errors: readonly ErrorObject[] | null | undefined): Rejection {
  const error = errors?.at(-1);
  const rejection = (error?.parentSchema as { rejection?: Rejection } | undefined)?.rejection;
  if (error === undefined || rejection === undefined) {
    return { code: "not_an_object", message: "must be an object" };
  }
  if (error.keyword !== "type") return rejection;
  return { ...rejection, message: `${rejection.message}, is ${describeJson(error.data)}` };
}

/** Why the call is refused, or undefined: then its fields have the types of ValidCall. */
export function callRejection(raw: JsonObject, type: CallType): Rejection | undefined {
  const validate = validators().call[type];
  return validate(raw) ? undefined : toRejection(validate.errors);
}

/** The same for the root of a batch. */
export function batchRootRejection(root: JsonObject): Rejection | undefined {
  const validate = validators().batchRoot;
  return validate(root) ? undefined : toRejection(validate.errors);
}

export function notAnObject(what: string, value: unknown): Rejection | undefined {
  if (isJsonObject(value)) return undefined;
  return { code: "not_an_object", message: `${what} must be an object, is ${describeJson(value)}` };
}
