import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Certificate } from "./certificates.ts";
import { startLocalServer } from "./local-server.ts";
import { hmacSha1Hex } from "./signature.ts";
import { until } from "./until.ts";

/** How a receiver treats one request. */
type Answer =
  /** Answers, after `delayMs` when given. */
  | { status: number; headers?: Record<string, string>; body?: string; delayMs?: number }
  /** Reads the request and never answers. */
  | { behaviour: "hang" }
  /** Breaks the connection off with a reset. */
  | { behaviour: "reset" }
  /** Status 200 and a body without end. */
  | { behaviour: "endless_body" };

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names as they were written, each with its value. */
  readonly headerLines: readonly (readonly [name: string, value: string])[];
  readonly rawBody: Buffer;
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** Of X-Signature, checked against the receiver's secret over the raw body and over the re-stringified one. */
  readonly signature: "absent" | "valid" | "invalid";
  readonly receivedAtMs: number;
}

export interface ReceiverOptions {
  /** The destination's shared secret. */
  readonly secret?: string;
  /** Serves https with it. */
  readonly tls?: Certificate;
}

export interface Receiver {
  readonly url: (path?: string) => string;
  /** Everything received so far, in order. */
  readonly requests: readonly ReceivedRequest[];
  readonly requestsTo: (path: string) => readonly ReceivedRequest[];
  /** The next requests to this path get these answers in turn, the last one for ever; 200 without a script. */
  readonly script: (path: string, ...answers: readonly Answer[]) => void;
  /** Ends when this many requests have come to the path; gives them all. */
  readonly untilReceived: (
    path: string,
    count: number,
    timeoutMs?: number,
  ) => Promise<readonly ReceivedRequest[]>;
  readonly close: () => Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const OK: Answer = { status: 200, body: "ok" };

function judge(request: IncomingMessage, rawBody: Buffer, secret: string): ReceivedRequest["signature"] {
  const given = request.headers["x-signature"];
  if (given === undefined) return "absent";
  // A receiver whose framework hands it the parsed body signs what JSON.stringify gives (contract 2.3).
  const again = Buffer.from(JSON.stringify(JSON.parse(rawBody.toString("utf8"))));
  const isValid = [rawBody, again].every((body) => hmacSha1Hex(secret, body) === given);
  return isValid ? "valid" : "invalid";
}

function headerLines({ rawHeaders }: IncomingMessage): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] ?? "",
    rawHeaders[2 * index + 1] ?? "",
  ]);
}

async function read(request: IncomingMessage, secret: string): Promise<ReceivedRequest> {
  const rawBody = await buffer(request);
  const text = rawBody.toString("utf8");
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    headerLines: headerLines(request),
    rawBody,
    text,
    json: JSON.parse(text) as Record<string, unknown>,
    signature: judge(request, rawBody, secret),
    receivedAtMs: Date.now(),
  };
}

function pourWithoutEnd(response: ServerResponse): void {
  const chunk = Buffer.alloc(16_384, "x");
  response.writeHead(200);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk)) {
      // Until the socket is full; "drain" goes on.
    }
  };
  response.on("drain", pour);
  pour();
}

async function respond(answer: Answer, response: ServerResponse): Promise<void> {
  if ("status" in answer) {
    if (answer.delayMs !== undefined) await sleep(answer.delayMs, undefined, { ref: false });
    response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
    return;
  }
  switch (answer.behaviour) {
    case "hang":
      return;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "endless_body":
      pourWithoutEnd(response);
      return;
  }
}

/** A real HTTP or HTTPS webhook endpoint on a free port of 127.0.0.1 that keeps what it received. */
export async function startReceiver({ secret = "", tls }: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const scripts = new Map<string, Answer[]>();
  const nextAnswer = (path: string): Answer => {
    const answers = scripts.get(path) ?? [];
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? OK;
  };
  const server = await startLocalServer(async (request, response) => {
    const received = await read(request, secret);
    requests.push(received);
    await respond(nextAnswer(received.path), response);
  }, tls);
  const requestsTo = (path: string): ReceivedRequest[] => requests.filter((request) => request.path === path);

  return {
    url: (path = "/") => `${server.url}${path}`,
    requests,
    requestsTo,
    script: (path, ...answers) => {
      scripts.set(path, [...answers]);
    },
    untilReceived: async (path, count, timeoutMs = DEFAULT_TIMEOUT_MS) => {
      const what = (): string => `${count} requests to ${path}; ${requestsTo(path).length} came`;
      await until(() => requestsTo(path).length >= count, { timeoutMs, what });
      return requestsTo(path);
    },
    close: server.close,
  };
}
