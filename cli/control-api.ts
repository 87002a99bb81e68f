// The control API, asked as anybody would ask it.
import type { JsonObject } from "#contract";
import { type Environment, readSettings } from "#runtime";
import { settings as schema } from "./config.ts";
import { CommandError, EXIT, type ExitCode } from "./exit-codes.ts";

const TIMEOUT_MS = 30_000;
/** The time that the control API waits for an upload; as long it may look for the next row of a whole list. */
const LONG_TIMEOUT_MS = 600_000;
/** Three heartbeats of a stream. */
const SILENT_MS = 45_000;
const PAGE_SIZE = 200;

/** A list is a parameter that is given several times. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

interface ApiRequest {
  readonly method?: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Instead of `body`. */
  readonly upload?: Upload;
  /** Ends it; after some time of its own unless given. */
  readonly signal?: AbortSignal;
}

/** A body that is no JSON, as it is in its file. */
export interface Upload {
  readonly contentType: string;
  /** The body is compressed by gzip. */
  readonly isCompressed: boolean;
  readonly body: AsyncIterable<Uint8Array>;
}

/** A list as far as it was asked for; `next` is null when that was all of it. */
export interface Listing {
  readonly data: readonly JsonObject[];
  readonly next: string | null;
  /** How many there are; absent where that is not counted. */
  readonly total?: number;
}

/** Every function rejects with a CommandError when the answer is not a success. */
export interface ControlApi {
  /** An answer without a body is {}. */
  ask(path: string, request?: ApiRequest): Promise<JsonObject>;
  upload(path: string, query: Query, upload: Upload): Promise<JsonObject>;
  /** Follows the list's pages until there are `limit` entries. */
  list(path: string, query: Query, limit: number): Promise<Listing>;
  /** An answer that is no JSON, piece by piece, however long all of it takes. */
  stream(path: string, query?: Query): AsyncIterable<string>;
  /**
   * Streams as `stream`, an answer that goes on for as long as somebody reads; ends with an error when not even a heartbeat came for
   * some time. `lastId`: of the last event that came before.
   */
  listen(path: string, lastId?: string): AsyncIterable<string>;
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

interface Access {
  readonly url: string;
  readonly token: string | undefined;
}

/** Reads its address and token from the environment; throws a SettingsError when these are wrong. */
export function controlApi(environment: Environment): ControlApi {
  const { control: access } = readSettings(schema, { processName: "hookline", environment });
  const ask = async (path: string, request: ApiRequest = {}): Promise<JsonObject> => {
    const answer = send(access, path, request).then((response) => response.text());
    const text = await answer.catch((error: unknown) => unanswered(access, error));
    return text === "" ? {} : (JSON.parse(text) as JsonObject);
  };
  return {
    ask,
    upload: (path, query, upload) => ask(path, { method: "PUT", query, upload }),
    list: (path, query, limit) => list(ask, { path, query, limit }),
    stream: (path, query = {}) => piecesOf(access, path, { query, silentMs: LONG_TIMEOUT_MS }),
    listen(path, lastId) {
      const headers = lastId === undefined ? {} : { "last-event-id": lastId };
      return piecesOf(access, path, { headers, silentMs: SILENT_MS });
    },
  };
}

/** Ends with an error when nothing came for `silentMs`. */
async function* piecesOf(
  access: Access,
  path: string,
  { silentMs, ...request }: ApiRequest & { readonly silentMs: number },
): AsyncGenerator<string> {
  const silence = new AbortController();
  const error = new Error(`nothing came in ${silentMs} ms`);
  const start = () => setTimeout(() => silence.abort(error), silentMs);
  let timer = start();
  try {
    const { body } = await send(access, path, { ...request, signal: silence.signal });
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      // How long the piece is worked on is no silence.
      clearTimeout(timer);
      yield piece;
      timer = start();
    }
  } catch (error) {
    unanswered(access, error);
  } finally {
    clearTimeout(timer);
  }
}

async function list(
  ask: ControlApi["ask"],
  { path, query, limit }: { path: string; query: Query; limit: number },
): Promise<Listing> {
  const data: JsonObject[] = [];
  let next: string | null = null;
  let total: unknown;
  do {
    const page = { limit: String(Math.min(limit - data.length, PAGE_SIZE)), after: next ?? undefined };
    const answer = await ask(path, { query: { ...query, ...page } });
    data.push(...(answer["data"] as JsonObject[]));
    next = answer["next"] as string | null;
    // A list over an index says it on its first page alone.
    total ??= answer["total"];
  } while (next !== null && data.length < limit);
  return { data, next, ...(typeof total === "number" && { total }) };
}

function urlOf(base: string, path: string, query: Query = {}): URL {
  const url = new URL(`${base.replace(/\/$/, "")}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) url.searchParams.append(name, each);
  }
  return url;
}

async function send({ url, token }: Access, path: string, request: ApiRequest): Promise<Response> {
  const { method = request.body === undefined ? "GET" : "POST", query, signal, upload } = request;
  const { headers, ...sent } = bodyOf(request);
  const response = await fetch(urlOf(url, path, query), {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...request.headers,
      ...headers,
    },
    signal: signal ?? AbortSignal.timeout(upload === undefined ? TIMEOUT_MS : LONG_TIMEOUT_MS),
    // A page to log in would pass for an answer, and what changes something would become a GET.
    redirect: "manual",
    ...sent,
  });
  if (response.ok) return response;
  // Read in any case: an answer that is left keeps its connection.
  const problem = problemIn(await response.text());
  const elsewhere = redirectOf(response);
  if (elsewhere !== undefined)
    throw new CommandError(`${new URL(url).host} redirects to ${elsewhere}. ${ADVICE}`, EXIT.unreachable);
  throw new CommandError(explained(response.status, problem), exitCodeOf(response.status), problem);
}

function bodyOf({ body, upload }: ApiRequest): RequestInit & { readonly headers: Record<string, string> } {
  if (upload === undefined && body === undefined) return { headers: {} };
  if (upload === undefined)
    return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const encoding = upload.isCompressed ? { "content-encoding": "gzip" } : {};
  // A stream can only be sent while the answer is waited for.
  return { headers: { "content-type": upload.contentType, ...encoding }, body: upload.body, duplex: "half" };
}

/** Where a redirect leads, without its parameters; undefined for other answers. */
function redirectOf({ status, headers, url }: Response): string | undefined {
  const location = headers.get("location");
  if (status < 300 || status > 399 || location === null) return undefined;
  const target = URL.parse(location, url);
  return target === null ? "another address" : `${target.origin}${target.pathname}`;
}

const ADVICE = "HOOKLINE_CONTROL_URL says where the control API is.";

/** Of a request that got no answer, or a part of one; what is refused goes on as it is. */
function unanswered({ url }: Access, error: unknown): never {
  if (error instanceof CommandError) throw error;
  throw new CommandError(
    `${new URL(url).host} does not answer: ${reasonOf(error)}. ${ADVICE}`,
    EXIT.unreachable,
  );
}

/** fetch says "fetch failed", and what failed only in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (!(cause instanceof Error)) return message;
  return cause.message || ((cause as NodeJS.ErrnoException).code ?? message);
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return EXIT.notFound;
  return status >= 500 ? EXIT.unreachable : EXIT.refused;
}

/** Prints problem details, with a line for each wrong field. */
function explained(status: number, { title, detail, errors = [] }: Problem): string {
  const hint = status === 401 ? ["HOOKLINE_CONTROL_TOKEN holds the token that is sent."] : [];
  const fields = errors.map(({ path, message }) => `  ${path} ${message}`);
  return [[title ?? `the answer is ${status}`, detail].filter(Boolean).join(": "), ...fields, ...hint].join(
    "\n",
  );
}

function problemIn(text: string): Problem {
  try {
    return JSON.parse(text) as Problem;
  } catch {
    return {};
  }
}
