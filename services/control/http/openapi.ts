import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { isJsonObject, type JsonObject } from "#contract";
import { withNamedSchemas } from "./openapi-names.ts";
import { problemComponents, withProblems } from "./openapi-problems.ts";
import { PROBLEM_CONTENT_TYPE } from "./problem.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";

/** The document is made from the route schemas; this is what they do not say. */
export function openApiOptions(): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Hookline control API",
        version: "1",
        description:
          "Sources, destinations, test calls, what became of deliveries, dead letters and replays, deletions. A 2xx on a change is sent only after Kafka has acknowledged it. Answers may get further fields, and fields further values: readers pass over what they do not know.",
        license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
      },
      servers: [{ url: "/", description: "Where this document was read." }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "A token of HOOKLINE_API_TOKENS." },
          session: {
            type: "apiKey",
            in: "cookie",
            name: SESSION_COOKIE,
            description:
              "Of POST /v1/session, for browsers, in place of the token on every route; behind TLS its name begins with __Host-. Writes need X-CSRF-Token beside it.",
          },
        },
      },
      security: [{ bearer: [] }],
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema["$id"] ?? `schema${index}`),
    },
    transformObject: (made) => ("openapiObject" in made ? completed(made.openapiObject) : made.swaggerObject),
  };
}

/** The document with the statuses that operations really have, and named components. */
function completed<T extends { paths?: object; components?: object }>(document: T): T {
  const entries = Object.entries(document.paths ?? {}).map(([path, methods]) => [
    path,
    completedPath(path, methods),
  ]);
  const { paths, schemas } = withNamedSchemas(Object.fromEntries(entries));
  const { components = {} } = document;
  const shared = "schemas" in components && isJsonObject(components.schemas) ? components.schemas : {};
  return {
    ...document,
    paths,
    components: { ...components, schemas: { ...schemas, ...shared }, responses: problemComponents() },
  };
}

function completedPath(path: string, methods: unknown): JsonObject {
  const operations = Object.entries(isJsonObject(methods) ? methods : {});
  return Object.fromEntries(
    operations.map(([method, operation]) => [
      method,
      isJsonObject(operation) ? withProblems(path, method, withFile(withBodyAsTaken(operation))) : operation,
    ]),
  );
}

/** A body whose schema has a default need not be sent. */
function withBodyAsTaken(operation: JsonObject): JsonObject {
  const { requestBody } = operation;
  if (!isJsonObject(requestBody) || !isJsonObject(requestBody["content"])) return operation;
  const hasDefault = Object.values(requestBody["content"]).some(
    (media) => isJsonObject(media) && isJsonObject(media["schema"]) && "default" in media["schema"],
  );
  return hasDefault ? { ...operation, requestBody: { ...requestBody, required: false } } : operation;
}

/** A body that is no JSON is a file to programs; its route gets a stream, of which no schema of values holds. */
function withFile(operation: JsonObject): JsonObject {
  const { requestBody } = operation;
  if (!isJsonObject(requestBody) || !isJsonObject(requestBody["content"])) return operation;
  const content = Object.entries(requestBody["content"]).map(([type, media]) => {
    if (type === "application/json" || !isJsonObject(media) || !isJsonObject(media["schema"]))
      return [type, media];
    return [type, { ...media, schema: { type: "string", format: "binary", ...media["schema"] } }];
  });
  return { ...operation, requestBody: { ...requestBody, content: Object.fromEntries(content) } };
}

const problem = {
  description: "What is wrong, as RFC 9457 problem details.",
  content: { [PROBLEM_CONTENT_TYPE]: { schema: Type.Unsafe({ $ref: "Problem#" }) } },
};

/** The answers that every route may give beside its own; the document says which statuses these are (openapi-problems.ts). */
const PROBLEMS = { "4xx": problem, "5xx": problem };

/** Adds them to every route that says what it answers. */
export function addProblems(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onRoute", (route) => {
    const { response } = route.schema ?? {};
    if (response !== undefined) route.schema = { ...route.schema, response: { ...response, ...PROBLEMS } };
  });
}

/** Of a route other than a POST that may contradict what is there. */
export const conflictResponse = { 409: problem };
