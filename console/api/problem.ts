// Answers that are no success, as errors with what a person is told.

export const AWAY = "control does not answer: is it running, and can this browser reach it?";

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** `status` 0: no answer came. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];

  constructor(
    status: number,
    detail: string,
    more: { requestId?: string; errors?: readonly FieldError[] } = {},
  ) {
    super(detail);
    this.name = "ApiProblem";
    this.status = status;
    this.requestId = more.requestId;
    this.errors = more.errors ?? [];
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function fieldErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.map((each) => ({
    path: String(field(each, "path")),
    message: String(field(each, "message")),
  }));
}

/** `body` is RFC 9457's, or whatever a proxy said instead. */
export function problemOf(status: number, body: unknown): ApiProblem {
  const detail = field(body, "detail") ?? field(body, "title");
  const requestId = field(body, "requestId");
  return new ApiProblem(status, typeof detail === "string" ? detail : `control answered ${status}`, {
    ...(typeof requestId === "string" && { requestId }),
    errors: fieldErrors(field(body, "errors")),
  });
}
