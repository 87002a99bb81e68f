// Named components of the OpenAPI document: a schema with a title stands under its title, what a request or an answer is as a whole under a name
// from its operation. Routes keep their schemas whole; only the document refers to them.
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "#contract";

type Named = Map<string, JsonObject>;

/** Their values may be anything, a member `title` too. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
const PREFIX = "#/components/schemas/";

/** Throws when two different schemas have the same title. */
export function withNamedSchemas(paths: JsonObject): { paths: JsonObject; schemas: JsonObject } {
  const named: Named = new Map();
  const entries = Object.entries(paths).map(([path, methods]) => [path, mapValues(methods, named)] as const);
  const sorted = [...named].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { paths: Object.fromEntries(entries), schemas: Object.fromEntries(sorted) };
}

function mapValues(methods: unknown, named: Named): JsonObject {
  if (!isJsonObject(methods)) return {};
  const entries = Object.entries(methods).map(([method, operation]) => {
    const titled = isJsonObject(operation) ? titledOperation(operation) : operation;
    return [method, referring(titled, named)];
  });
  return Object.fromEntries(entries);
}

/** The operation, with titles for its body and its answers where they have none of their own. */
function titledOperation(operation: JsonObject): JsonObject {
  const { operationId, parameters, requestBody, responses } = operation;
  const base = `${String(operationId).charAt(0).toUpperCase()}${String(operationId).slice(1)}`;
  const answers = Object.entries(isJsonObject(responses) ? responses : {}).map(([status, answer]) => [
    status,
    status.startsWith("2") ? titledContent(answer, `${base}Answer`) : answer,
  ]);
  return {
    ...operation,
    ...(Array.isArray(parameters) && { parameters: parameters.map(describedParameter) }),
    ...(requestBody === undefined ? {} : { requestBody: titledContent(requestBody, `${base}Body`) }),
    responses: Object.fromEntries(answers),
  };
}

function titledContent(owner: unknown, title: string): unknown {
  if (!isJsonObject(owner) || !isJsonObject(owner["content"])) return owner;
  const media = Object.entries(owner["content"]).map(([type, form]) => {
    // A text or a file is what its media type says.
    if (!isJsonObject(form) || !isJsonObject(form["schema"]) || !type.endsWith("json")) return [type, form];
    const { schema, ...rest } = form;
    // The framework has taken the example from the schema, which has it wherever it is within another.
    const { example, ...others } = rest;
    const examples = example === undefined ? {} : { examples: [example] };
    return [type, { ...others, schema: { title, ...schema, ...examples } }];
  });
  return { ...owner, content: Object.fromEntries(media) };
}

/** The framework has taken the description from the schema, which has it wherever it is not a parameter. */
function describedParameter(parameter: unknown): unknown {
  if (!isJsonObject(parameter) || !isJsonObject(parameter["schema"])) return parameter;
  const { description, schema } = parameter;
  const isDescribed = description !== undefined && schema["title"] !== undefined;
  return isDescribed ? { ...parameter, schema: { ...schema, description } } : parameter;
}

/** The value, with a reference in place of each schema that has a title. */
function referring(value: unknown, named: Named): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => referring(entry, named));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) => [
    key,
    VALUES.has(key) ? entry : referring(entry, named),
  ]);
  const { title, ...schema } = Object.fromEntries(entries) as JsonObject;
  // A property may be called title; that one is a schema.
  if (typeof title !== "string") return Object.fromEntries(entries);
  const known = named.get(title) ?? schema;
  if (!isDeepStrictEqual(known, schema)) throw new Error(`two schemas have the title ${title}`);
  named.set(title, schema);
  return { $ref: `${PREFIX}${title}` };
}
