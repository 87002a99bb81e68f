// Values are checked against the route's schema by ajv: every wrong field at once, nothing coerced or dropped in bodies.
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from "fastify";
import { isJsonObject } from "#contract";
import { onFirstUse } from "./first-use.ts";
import { type FieldProblem, type ProblemError, refused } from "./problem.ts";
import { type CheckedPart, validationText } from "./validation-texts.ts";

/** `verbose`: an error knows its schema and its value, of which its text is made. */
const SHARED = { allErrors: true, allowUnionTypes: true, strict: true, verbose: true } as const;

/** `formats` are documentation only: rules of URLs and headers are contract's. */
const FORMATS = { uri: true, "date-time": true } as const;

/** A schema is compiled at its first request: all of them together would hold the event loop for 0.2 s at the start. */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const body = new Ajv({ ...SHARED, formats: FORMATS });
  // A query holds nothing but strings; a parameter that is given once is no list yet.
  const query = new Ajv({ ...SHARED, formats: FORMATS, coerceTypes: "array", useDefaults: true });
  const quick = new Ajv({ ...SHARED, formats: FORMATS, allErrors: false });
  return ({ schema, httpPart }) => {
    const all = onFirstUse(() => (httpPart === "body" ? body : query).compile(schema));
    if (httpPart !== "body") return validation(all);
    const first = onFirstUse(() => quick.compile(schema));
    return validation((data) => (hasManyValues(data) ? first() : all()));
  };
}

/** A body of more values has only the first of its errors named: a hundred thousand take a second to find. */
const MAX_VALUES = 5_000;

function hasManyValues(body: unknown): boolean {
  const waiting: unknown[] = [body];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen + waiting.length > MAX_VALUES) return true;
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const key in value) if (waiting.push(Reflect.get(value, key)) > MAX_VALUES) return true;
  }
  return false;
}

/** As fastify has it: true, or false and `errors`. */
interface Validation {
  (data: unknown): boolean;
  errors?: ErrorObject[] | null;
}

function validation(checkFor: (data: unknown) => ValidateFunction): Validation {
  const validate: Validation = (data) => {
    const check = checkFor(data);
    const isValid = check(data);
    validate.errors = check.errors ?? null;
    return isValid;
  };
  return validate;
}

const NO_PARAMETERS = { type: "object", properties: {} } as const;

/** Unknown parameters are refused by every route, also by those that take none and those that look at a wrong body themselves: no query says it itself. */
export function addParameterRules(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onRoute", (route) => {
    const parameters = route.schema?.querystring ?? NO_PARAMETERS;
    route.schema = { ...route.schema, querystring: { ...parameters, additionalProperties: false } };
  });
  app.addHook("preValidation", async (request) => {
    const empty = Object.entries(request.query as Record<string, unknown>).filter(
      ([, given]) => given === "",
    );
    // A variable of a script that is not set, most of all; no parameter has a meaning without a value.
    if (empty.length > 0) throw refused(empty.map(([path]) => ({ path, message: "must not be empty" })));
  });
  app.addHook("preHandler", async (request) => {
    // Where nothing was found, or the request is not to be handled, the parameters need no second look.
    if (request.validationError === undefined) return;
    const validate = request.getValidationFunction("querystring");
    if (validate?.(request.query) === false)
      throw refusedBy((validate.errors ?? []) as ErrorObject[], [], "querystring");
  });
}

/** A request that takes no body has no field: what is sent along all the same would be passed over, and somebody means it. */
export function addBodyRules(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("preValidation", async ({ body, routeOptions }) => {
    if (routeOptions.schema?.body !== undefined || !isJsonObject(body)) return;
    const problems = Object.keys(body).map((path) => ({
      path,
      message: "is not a field: this request takes none",
    }));
    if (problems.length > 0) throw refused(problems);
  });
}

/** More than an answer names; what is beyond is counted. */
const MAX_READ = 200;

/** What ajv found, with fields written as a caller would: `webhooks[1].url`. */
function fieldProblems(errors: readonly ErrorObject[], part: CheckedPart): FieldProblem[] {
  return errors.map((error) => {
    const { instancePath, keyword, params, propertyName } = error;
    const at = instancePath.split("/").slice(1).map(unescaped);
    // These are about a field of the value that they are found at, or about its name.
    const field = {
      required: "missingProperty",
      additionalProperties: "additionalProperty",
      propertyNames: "propertyName",
    }[keyword];
    const name = field === undefined ? propertyName : String(params[field]);
    const path = name === undefined ? at : [...at, name];
    return { path: pathOf(path), message: validationText(error, part) };
  });
}

/** JSON pointer escapes. */
function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

function pathOf(segments: readonly string[]): string {
  return segments.reduce((path, segment) => {
    if (/^\d+$/.test(segment)) return `${path}[${segment}]`;
    return path === "" ? segment : `${path}.${segment}`;
  }, "");
}

/**
 * Throws a 422 with what the body's schema and `rules` found, together; for routes with `attachValidation`. `rules` sees
 * the body whatever it looks like, so it has to be careful with its shape.
 */
export function checkBody(request: FastifyRequest, rules: readonly FieldProblem[] = []): void {
  const errors = (request.validationError?.validation ?? []) as ErrorObject[];
  if (errors.length + rules.length > 0) throw refusedBy(errors, rules);
}

/** The 422 of what ajv found, and of rules beside it. */
export function refusedBy(
  errors: readonly ErrorObject[],
  rules: readonly FieldProblem[] = [],
  part: CheckedPart = "body",
): ProblemError {
  const read = [...fieldProblems(errors.slice(0, MAX_READ), part), ...rules.slice(0, MAX_READ)];
  return refused(read, Math.max(0, errors.length - MAX_READ) + Math.max(0, rules.length - MAX_READ));
}
