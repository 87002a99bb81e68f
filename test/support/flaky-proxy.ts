// An HTTP proxy between an SDK and ingest that fails each batch in every way before it lets it through.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

/** What becomes of the first tries of a batch; later ones are delayed and get through. */
const FAILURES = ["dropped", "answer lost", "503"] as const;

const DELAY_MS = 300;
/** The hop's own headers, and what fetch says by itself. */
const NOT_FORWARDED = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
  "keep-alive",
  "expect",
]);

type Treatment = (typeof FAILURES)[number] | "delayed";

export interface FlakyProxy {
  readonly url: string;
  /** What was done with each batch's tries, in order; a batch is known by the id of its first message. */
  readonly treatments: ReadonlyMap<string, readonly Treatment[]>;
  readonly close: () => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function firstMessageId({ headers }: IncomingMessage, body: Buffer): string {
  const text = (headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
  return (JSON.parse(text) as { batch: { messageId: string }[] }).batch[0]?.messageId ?? "";
}

/** Listens on a free port of 127.0.0.1 in front of `target`, the URL of ingest. */
export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const treatments = new Map<string, Treatment[]>();

  const forward = async (request: IncomingMessage, body: Buffer<ArrayBuffer>) => {
    const kept = Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.has(name));
    const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
    const response = await fetch(`${target}${request.url}`, { method: "POST", headers, body });
    return { status: response.status, text: await response.text() };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const messageId = firstMessageId(request, body);
    const tries = treatments.get(messageId) ?? [];
    const treatment = FAILURES[tries.length] ?? "delayed";
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
        response.writeHead(503, { "retry-after": "1", "content-type": "application/json" });
        response.end('{"success":false,"code":"unavailable","message":"later","error":"later"}');
        return;
      case "delayed": {
        await sleep(DELAY_MS, undefined, { ref: false });
        const { status, text } = await forward(request, body);
        response.writeHead(status, { "content-type": "application/json" }).end(text);
      }
    }
  };

  const server = createServer((request, response) => {
    // What goes wrong here is a lost answer more.
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    treatments,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
