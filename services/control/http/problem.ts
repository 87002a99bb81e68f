// Every answer that is not a success is application/problem+json (RFC 9457, contract 10.1).
import { Type } from "typebox";
import type { Problem as FieldProblem } from "#contract";

/** Of an answer; a body may have more wrong fields than its sender can have meant. */
const MAX_ERRORS = 50;
/** A field's name may be as long as the body that it is in. */
const MAX_PATH_CHARACTERS = 200;

/** What can go wrong, as a closed list; the last part of the problem's `type`. */
const PROBLEMS = {
  unreadable: { status: 400, title: "The request cannot be read" },
  unauthorized: { status: 401, title: "A valid bearer token is needed" },
  forbidden: { status: 403, title: "The request is not allowed" },
  not_found: { status: 404, title: "There is no such thing" },
  method_not_allowed: { status: 405, title: "The path has no such method" },
  conflict: { status: 409, title: "The change contradicts what is there" },
  precondition_failed: { status: 412, title: "It has been changed meanwhile" },
  too_large: { status: 413, title: "The request is too large" },
  unsupported_media_type: { status: 415, title: "The body has a type that is not read" },
  refused_values: { status: 422, title: "Some values are refused" },
  failed: { status: 500, title: "The service failed" },
  unavailable: { status: 503, title: "The service cannot answer now" },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;
export type { FieldProblem };

/** Ends a request with a problem. Its texts are for the caller: no secret, no body. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly kind: ProblemKind;
  readonly errors: readonly FieldProblem[];

  constructor(kind: ProblemKind, detail: string, errors: readonly FieldProblem[] = []) {
    super(detail);
    this.kind = kind;
    this.errors = errors;
  }
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json";

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: "urn:hookline:problem:<kind>" }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    requestId: Type.String({ description: "As in X-Request-Id; the service's log has it too." }),
    errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: `The first ${MAX_ERRORS} wrong fields; empty when the problem is not about fields.`,
    }),
  },
  { $id: "Problem", description: "RFC 9457 problem details." },
);

export function problemBody({ kind, message, errors }: ProblemError, requestId: string) {
  const { status, title } = PROBLEMS[kind];
  return { type: `urn:hookline:problem:${kind}`, title, status, detail: message, requestId, errors };
}

/** 404 for a thing that is named by its id; `path` is the field that named it, when it was not the URL's path. */
export function notFound(what: string, id: string, path?: string): ProblemError {
  const detail = `there is no ${what} ${id}`;
  return new ProblemError("not_found", detail, path === undefined ? [] : [{ path, message: detail }]);
}

/**
 * 422 that names wrong fields once each, the first MAX_ERRORS of them: what is found first about a field is said. `unread` is how
 * many more problems there are that nobody looked at.
 */
export function refused(problems: readonly FieldProblem[], unread = 0): ProblemError {
  const byPath = new Map<string, FieldProblem>();
  for (const problem of problems) if (!byPath.has(problem.path)) byPath.set(problem.path, problem);
  const errors = [...byPath.values()].slice(0, MAX_ERRORS).map(({ path, message }) => ({
    path: path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path,
    message,
  }));
  const total = byPath.size + unread;
  const count = total === 1 ? "1 value is refused" : `${total} values are refused`;
  const named = errors.map(({ path }) => path || "the body").join(", ");
  const more = total > errors.length ? ` and ${total - errors.length} more` : "";
  return new ProblemError("refused_values", `${count}: ${named}${more}`, errors);
}
