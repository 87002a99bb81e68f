import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 60_000;

/** Answer of an HTTP request with a JSON body, whatever its status. */
export interface ApiAnswer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface ApiRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, but for bytes and strings, which are sent as they are. */
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

function bytesOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
}

/** One request; an empty answer's body is {}. */
export async function requestJson<T>(url: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
  const { method = request.body === undefined ? "GET" : "POST", headers = {}, body } = request;
  const response = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: bytesOf(body) }),
    ...(request.timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(request.timeoutMs) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text || "{}") as T };
}

export interface Source {
  readonly id: string;
  readonly writeKeys: readonly [string, ...string[]];
}

interface DestinationRequest {
  readonly name?: string;
  readonly filter?: object;
  readonly sourceIds: readonly string[];
  readonly webhooks: readonly { readonly url: string; readonly headers?: Readonly<Record<string, string>> }[];
  readonly enabled?: boolean;
  readonly sharedSecret?: string;
  readonly callTypes?: readonly string[];
  readonly events?: readonly string[] | null;
  readonly standardWebhooks?: boolean;
  readonly previousSecretValidFor?: string;
  readonly disableAfter?: string | null;
}

export interface Destination {
  readonly id: string;
}

/** An answer that says that nothing was begun, and when to come again, as control gives it while Kafka takes its time. */
const isToComeAgain = ({ status, headers, body }: ApiAnswer<unknown>): boolean =>
  status === 503 && headers.has("retry-after") && JSON.stringify(body).includes("nothing was begun");

/** Asks again as long as it is told to, 60 s at most; gives the last answer. */
async function requestPatiently<T>(url: string, request: ApiRequest): Promise<ApiAnswer<T>> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await requestJson<T>(url, request);
    if (!isToComeAgain(answer) || Date.now() > untilMs) return answer;
    await sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
}

/** What tests ask of the control API; each throws when the answer is not the expected one. */
export interface ControlClient {
  readonly createSource: (name?: string) => Promise<Source>;
  /** Enabled unless said otherwise. */
  readonly createDestination: (request: DestinationRequest) => Promise<Destination>;
  readonly changeDestination: (id: string, changes: Partial<DestinationRequest>) => Promise<void>;
  readonly deleteDestination: (id: string) => Promise<void>;
}

/** `changed` is awaited after each change, with its path and the time at which it was asked for. */
export function controlClient(
  url: () => string,
  changed: (path: string, sinceMs: number) => Promise<void> = async () => undefined,
): ControlClient {
  const ask = async <T>(path: string, request: ApiRequest): Promise<T> => {
    const sinceMs = Date.now();
    const { status, body } = await requestPatiently<T>(`${url()}${path}`, request);
    if (status >= 300)
      throw new Error(`${request.method ?? "POST"} ${path}: ${status} ${JSON.stringify(body)}`);
    await changed(path, sinceMs);
    return body;
  };
  return {
    createSource: (name = "Test source") => ask("/v1/sources", { body: { name } }),
    createDestination: (request) =>
      ask("/v1/destinations", { body: { name: "Test destination", enabled: true, ...request } }),
    changeDestination: async (id, changes) => {
      await ask(`/v1/destinations/${id}`, { method: "PATCH", body: changes });
    },
    deleteDestination: async (id) => {
      await ask(`/v1/destinations/${id}`, { method: "DELETE" });
    },
  };
}

/** Sends a call as an SDK does: the write key as the Basic user name. */
export function sendCall(
  ingestUrl: string,
  call: {
    readonly route: string;
    readonly writeKey: string;
    readonly body: unknown;
    readonly headers?: Record<string, string>;
  },
): Promise<ApiAnswer> {
  const authorization = `Basic ${Buffer.from(`${call.writeKey}:`).toString("base64")}`;
  return requestJson(`${ingestUrl}/v1/${call.route}`, {
    headers: { authorization, ...call.headers },
    body: call.body,
  });
}
