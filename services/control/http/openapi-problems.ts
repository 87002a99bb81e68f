// Which problems an operation answers with, from what it takes; each is a named response of the OpenAPI document.
import { isJsonObject, type JsonObject } from "#contract";
import { PROBLEM_CONTENT_TYPE, ProblemError, type ProblemKind, problemBody, refused } from "./problem.ts";

const EXAMPLE_REQUEST = "8f14e45f-ceea-467f-a0e6-3d5b7c1c2a90";

/** What may go wrong with every request. */
const ALWAYS: readonly ProblemKind[] = [
  "unreadable",
  "unauthorized",
  "forbidden",
  "refused_values",
  "failed",
  "unavailable",
];

const EXAMPLES: Readonly<Record<ProblemKind, ProblemError>> = {
  unreadable: new ProblemError("unreadable", "Body is not valid JSON"),
  unauthorized: new ProblemError("unauthorized", "send Authorization: Bearer <token>"),
  forbidden: new ProblemError("forbidden", "this needs the scope write, and the token ci has only read"),
  not_found: new ProblemError("not_found", "there is no source shop"),
  method_not_allowed: new ProblemError("method_not_allowed", "/v1/sources takes GET, HEAD, POST, not PUT"),
  conflict: new ProblemError("conflict", "the id shop is used by another source"),
  precondition_failed: new ProblemError("precondition_failed", "If-Match names another version"),
  too_large: new ProblemError("too_large", "Request body is too large"),
  unsupported_media_type: new ProblemError("unsupported_media_type", "send Content-Type: application/json"),
  refused_values: refused([{ path: "name", message: "is required" }]),
  failed: new ProblemError("failed", "an unexpected error; the service's log has it"),
  unavailable: new ProblemError("unavailable", "Kafka does not answer; nothing was begun"),
};

/** Statuses of one operation that are written in its route's schema stand for all kinds of the range. */
const RANGES = ["4XX", "5XX"];

/** The operation with each status that it answers, in place of 4XX and 5XX. */
export function withProblems(path: string, method: string, operation: JsonObject): JsonObject {
  const { responses } = operation;
  const given = isJsonObject(responses) ? responses : {};
  const own = Object.entries(given).filter(([status]) => !RANGES.includes(status));
  const problems = problemKinds(path, method, operation).map((kind) => [
    String(statusOf(kind)),
    { $ref: `#/components/responses/${nameOf(kind)}` },
  ]);
  return { ...operation, responses: { ...Object.fromEntries(problems), ...Object.fromEntries(own) } };
}

function problemKinds(path: string, method: string, operation: JsonObject): ProblemKind[] {
  const { parameters, requestBody, responses } = operation;
  const taken: readonly JsonObject[] = Array.isArray(parameters) ? parameters.filter(isJsonObject) : [];
  const queried = taken.filter((each) => each["in"] === "query");
  const namesOther = queried.some(({ name }) => String(name).endsWith("Id"));
  const isPost = method === "post";
  const asked: readonly (readonly [ProblemKind, boolean])[] = [
    ["not_found", path.includes("{") || namesOther],
    ["conflict", isPost || (isJsonObject(responses) && "409" in responses)],
    ["precondition_failed", taken.some(({ name }) => name === "if-match")],
    ["too_large", requestBody !== undefined],
    ["unsupported_media_type", requestBody !== undefined || isPost],
  ];
  return [...ALWAYS, ...asked.filter(([, isGiven]) => isGiven).map(([kind]) => kind)];
}

/** components/responses. */
export function problemComponents(): JsonObject {
  // No operation of the document answers it: it has no operation for that method.
  const kinds = (Object.keys(EXAMPLES) as ProblemKind[]).filter((kind) => kind !== "method_not_allowed");
  return Object.fromEntries(kinds.map((kind) => [nameOf(kind), problemComponent(EXAMPLES[kind])]));
}

function problemComponent(example: ProblemError): JsonObject {
  const body = problemBody(example, EXAMPLE_REQUEST);
  const isLater = example.kind === "unavailable";
  return {
    description: `${body.title}.`,
    ...(isLater && {
      headers: {
        "Retry-After": {
          description: "Seconds until it is worth trying again.",
          schema: { type: "integer" },
        },
      },
    }),
    content: { [PROBLEM_CONTENT_TYPE]: { schema: { $ref: "#/components/schemas/Problem" }, example: body } },
  };
}

function statusOf(kind: ProblemKind): number {
  return problemBody(EXAMPLES[kind], EXAMPLE_REQUEST).status;
}

/** not_found is NotFound. */
function nameOf(kind: ProblemKind): string {
  return kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
