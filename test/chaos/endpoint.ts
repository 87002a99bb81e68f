import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hmacSha1Hex } from "#support/signature";
import { type Answer, behaviourOf, type DestinationName } from "./behaviours.ts";
import { type Judged, judgeBody } from "./calls.ts";
import type { Attempt } from "./ledger.ts";

export interface EndpointOptions {
  readonly destination: DestinationName;
  /** The destination's shared secret. */
  readonly secret: string;
  /** The run began then. */
  readonly startedAtMs: number;
  /** Told of every request; what it gives back is called when the endpoint has answered 2xx. */
  readonly onAttempt: (attempt: Omit<Attempt, "isTaken">) => () => void;
}

export interface Endpoint {
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function judge(request: IncomingMessage, body: Buffer, secret: string): Judged {
  const judged = judgeBody(body);
  if (judged.alteration !== undefined) return judged;
  const isSigned = request.headers["x-signature"] === hmacSha1Hex(secret, body);
  return isSigned ? judged : { ...judged, alteration: "the signature is wrong" };
}

function take(response: ServerResponse, onTaken: () => void): void {
  // A sender that has gone away does not know that the call was taken, and will send it again.
  if (response.destroyed || response.socket?.destroyed !== false) return;
  response.writeHead(200).end();
  onTaken();
}

function respond(answer: Answer, response: ServerResponse, onTaken: () => void): void {
  switch (answer.kind) {
    case "take":
      if (answer.delayMs === 0) take(response, onTaken);
      else setTimeout(() => take(response, onTaken), answer.delayMs);
      return;
    case "refuse": {
      const { status, retryAfterSeconds } = answer;
      const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
      response.writeHead(status, headers).end();
      return;
    }
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "hang":
      return;
  }
}

/** The webhook of one destination, on a port of its own: an endpoint is its scheme, host and port. */
export async function startEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { destination, secret, startedAtMs, onAttempt } = options;
  const { answer } = behaviourOf(destination);
  const timesByCall = new Map<number, number>();

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const atMs = Date.now();
    const { call, alteration } = judge(request, await bodyOf(request), secret);
    const [process = ""] = (request.headers["user-agent"] ?? "").split("/");
    const onTaken = onAttempt({
      destination,
      process,
      atMs,
      ...(call === undefined ? {} : { call }),
      ...(alteration === undefined ? {} : { alteration }),
    });
    const times = (timesByCall.get(call ?? -1) ?? 0) + 1;
    timesByCall.set(call ?? -1, times);
    respond(answer({ call: call ?? -1, times, elapsedMs: atMs - startedAtMs }), response, onTaken);
  };
  const server = createServer((request, response) => {
    // A process that is killed half-way through its request is what this is about.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${destination}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
