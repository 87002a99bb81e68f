// The webhook endpoints of the benchmarks, each on a port of its own: reads the body, answers as its mode says, keeps the latency of
// every call that carries its sending time.
// Arguments: how many endpoints; "unique" to count every call once only.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cpuSeconds } from "../cpu.ts";

const MODES = ["ok", "hang", "slow", "error", "reset", "half-open", "stumble"] as const;
type Mode = (typeof MODES)[number];

const SENT_AT = '"sentAtMs":';
const MESSAGE_ID = '"messageId":"';
/** Just within the time that a webhook has. */
const SLOW_MS = 4_900;
/** With "stumble" one call of so many fails the first time. */
const STUMBLES_ONE_OF = 10;
/** Calls whose way is looked at in detail: one of so many, and so many at most. */
const SAMPLED = { oneOf: 8, most: 20_000 };

let mode: Mode = "ok";
let count = 0;
let latenciesMs: number[] = [];
let samples: { messageId: string; sentAtMs: number; receivedAtMs: number }[] = [];
/** When the calls that failed once came first, and how long the next time was in coming. */
const stumbledAtMs = new Map<string, number>();
let againAfterMs: number[] = [];
const messageIds = new Set<string>();
const keepsMessageIds = process.argv[3] === "unique";

/** Unix time in milliseconds with its fraction, comparable between processes of one machine. */
const nowMs = (): number => performance.timeOrigin + performance.now();

function textAfter(body: string, mark: string): string | undefined {
  const at = body.indexOf(mark);
  return at < 0 ? undefined : body.slice(at + mark.length, at + mark.length + 64);
}

function messageIdIn(body: string): string {
  return textAfter(body, MESSAGE_ID)?.split('"', 1)[0] ?? "";
}

function note(body: string): void {
  const receivedAtMs = nowMs();
  count += 1;
  const messageId = messageIdIn(body);
  if (keepsMessageIds) messageIds.add(messageId);
  const sentAtMs = Number.parseFloat(textAfter(body, SENT_AT) ?? "0");
  if (!(sentAtMs > 0)) return;
  latenciesMs.push(receivedAtMs - sentAtMs);
  if (count % SAMPLED.oneOf === 0 && samples.length < SAMPLED.most)
    samples.push({ messageId, sentAtMs, receivedAtMs });
}

/** Whether this is the one time that the call fails. */
function stumbles(body: string): boolean {
  const messageId = messageIdIn(body);
  const firstAtMs = stumbledAtMs.get(messageId);
  if (firstAtMs !== undefined) againAfterMs.push(nowMs() - firstAtMs);
  const isNow = firstAtMs === undefined && count % STUMBLES_ONE_OF === 0;
  if (isNow) stumbledAtMs.set(messageId, nowMs());
  count += 1;
  return isNow;
}

function answer(status: number, response: ServerResponse): void {
  response.writeHead(status, { "content-length": 0 });
  response.end();
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  // Nothing is read any more: the connection is there, and nobody behind it.
  if (mode === "half-open") return;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("error", () => undefined);
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    switch (mode) {
      case "ok":
        note(body);
        return answer(200, response);
      case "slow":
        note(body);
        return void setTimeout(() => answer(200, response), SLOW_MS);
      case "stumble":
        return answer(stumbles(body) ? 503 : 200, response);
      case "error":
        return answer(500, response);
      case "reset":
        return void request.socket.resetAndDestroy();
      case "hang":
      case "half-open":
        return undefined;
    }
  });
}

function open(): Promise<number> {
  const server = createServer(handle);
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}

process.on("message", (message: string) => {
  const wanted = MODES.find((name) => name === message);
  if (wanted !== undefined) {
    mode = wanted;
    process.send?.({});
  } else if (message === "latencies") {
    process.send?.({ latenciesMs });
    latenciesMs = [];
  } else if (message === "again") {
    process.send?.({ againAfterMs });
    againAfterMs = [];
  } else if (message === "samples") {
    process.send?.({ samples });
    samples = [];
  } else {
    process.send?.({ count: keepsMessageIds ? messageIds.size : count, cpuSeconds: cpuSeconds() });
  }
});
process.on("disconnect", () => process.exit());

const ports: number[] = [];
for (let left = Number(process.argv[2] ?? 1); left > 0; left -= 1) ports.push(await open());
process.send?.({ ports });
