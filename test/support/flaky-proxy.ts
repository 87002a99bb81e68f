// An HTTP proxy between an SDK and ingest that fails each batch in every way before it lets it through.
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { startLocalServer } from "./local-server.ts";

/** What can become of the first tries of a batch; later ones are delayed and get through. */
export const FAILURES = ["dropped", "answer lost", "503"] as const;

export type Failure = (typeof FAILURES)[number];

const DELAY_MS = 300;
/** As ingest says it. */
const ANY_ORIGIN = { "access-control-allow-origin": "*" };
/** The hops' own headers, and what fetch says and undoes by itself. */
const NOT_FORWARDED = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  "keep-alive",
  "expect",
]);

type Treatment = Failure | "delayed";

function kept(headers: [name: string, value: string][]): Record<string, string> {
  return Object.fromEntries(headers.filter(([name]) => !NOT_FORWARDED.has(name)));
}

export interface FlakyProxy {
  readonly url: string;
  /** What was done with each batch's tries, in order; a batch is known by the id of its first message. */
  readonly treatments: ReadonlyMap<string, readonly Treatment[]>;
  readonly close: () => Promise<void>;
}

/** Of a batch, or of a call on its own. */
function firstMessageId({ headers }: IncomingMessage, body: Buffer): string {
  const text = (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
  const { batch, messageId } = JSON.parse(text) as { batch?: { messageId: string }[]; messageId?: string };
  return batch?.[0]?.messageId ?? messageId ?? "";
}

/** Listens on a free port of 127.0.0.1 in front of `target`, the URL of ingest. `failures` are what each batch meets, in turn. */
export async function startFlakyProxy(
  target: string,
  failures: readonly Failure[] = FAILURES,
): Promise<FlakyProxy> {
  const treatments = new Map<string, Treatment[]>();

  const forward = async ({ method = "POST", headers, url }: IncomingMessage, body: Buffer<ArrayBuffer>) => {
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: kept(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(method === "POST" ? { body } : {}),
    });
    return { status: answer.status, headers: kept([...answer.headers]), text: await answer.text() };
  };

  const pass = async (request: IncomingMessage, response: ServerResponse, body: Buffer<ArrayBuffer>) => {
    const { status, headers, text } = await forward(request, body);
    // Settings name the place to send to: this one.
    const here = text.replaceAll(new URL(target).host, request.headers.host ?? "");
    response.writeHead(status, headers).end(here);
  };

  // What goes wrong here is a lost answer more.
  const { close, url } = await startLocalServer(async (request, response) => {
    const body = await buffer(request);
    // A browser's questions beforehand, and settings.
    if (request.method !== "POST") return pass(request, response, body);
    const messageId = firstMessageId(request, body);
    const tries = treatments.get(messageId) ?? [];
    const treatment = failures[tries.length] ?? "delayed";
    treatments.set(messageId, [...tries, treatment]);
    switch (treatment) {
      case "dropped":
        request.socket.resetAndDestroy();
        return;
      case "answer lost":
        await forward(request, body);
        request.socket.resetAndDestroy();
        return;
      case "503":
        response.writeHead(503, { ...ANY_ORIGIN, "retry-after": "1", "content-type": "application/json" });
        response.end('{"success":false,"code":"unavailable","message":"later","error":"later"}');
        return;
      case "delayed": {
        await sleep(DELAY_MS, undefined, { ref: false });
        await pass(request, response, body);
      }
    }
  });
  return { url, treatments, close };
}
