// Requests to control, typed by its OpenAPI document.
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.generated.ts";
import { ApiProblem, AWAY, problemOf } from "./problem.ts";
import { session } from "./session.ts";

export type Schemas = components["schemas"];

/** Each time has a copy: a body is read once. */
function send(request: Request): Promise<Response> {
  if (request.method === "GET") return session.read(() => fetch(request));
  return session.write((headers) => {
    const copy = request.clone();
    for (const [name, value] of Object.entries(headers)) copy.headers.set(name, value);
    return fetch(copy);
  });
}

export const api = createClient<paths>({ baseUrl: location.origin, fetch: send });

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer's body. Throws an ApiProblem for everything that is no success. */
export async function answerOf<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await request.catch(() => {
    throw new ApiProblem(0, AWAY);
  });
  if (!response.ok) throw problemOf(response.status, error);
  // An answer without a body is undefined, and so is its type.
  return data as T;
}

export interface Tagged<T> {
  readonly value: T;
  /** Names the version that was read. */
  readonly etag: string;
}

/** As `answerOf`, with the version. */
export async function taggedAnswer<T>(request: Promise<Answer<T>>): Promise<Tagged<T>> {
  const value = await answerOf(request);
  return { value, etag: (await request).response.headers.get("etag") ?? "" };
}

/** Of a change that is made only while the version is this one. */
export const ifMatch = (etag: string) => (etag === "" ? {} : { "if-match": etag });

/** Sends a file as it is; the browser reads it from its disk meanwhile. Throws as `answerOf`. */
export async function upload<T>(
  path: string,
  file: Blob,
  headers: Readonly<Record<string, string>>,
): Promise<T> {
  return (await sent(path, { method: "PUT", headers, body: file })) as T;
}

/** As an answer of the API describes a request of its own (`sendAgain`). Throws as `answerOf`. */
export async function ask(method: string, path: string, body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return await sent(path, { method, headers, body: JSON.stringify(body) });
}

interface Write {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Blob;
}

async function sent(path: string, { headers, ...write }: Write): Promise<unknown> {
  const request = session.write((more) =>
    fetch(new URL(path, location.origin), { ...write, headers: { ...headers, ...more } }),
  );
  const answered = await request.catch(() => {
    throw new ApiProblem(0, AWAY);
  });
  const given: unknown = await answered.json().catch(() => undefined);
  if (!answered.ok) throw problemOf(answered.status, given);
  return given;
}
