import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { startLocalServer } from "#support/local-server";
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

  const { close, url } = await startLocalServer(async (request, response) => {
    const atMs = Date.now();
    const { call, alteration } = judge(request, await buffer(request), secret);
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
  });
  return { url: `${url}/${destination}`, close };
}
