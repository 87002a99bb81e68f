// The webhook endpoint of the benchmarks: reads the body, answers 200, keeps the latency of every call that carries its sending time.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpuSeconds } from "../cpu.ts";

const SENT_AT = '"sentAtMs":';
let count = 0;
let latenciesMs: number[] = [];

/** Unix time in milliseconds with its fraction, comparable between processes of one machine. */
const nowMs = (): number => performance.timeOrigin + performance.now();

function note(body: string): void {
  count += 1;
  const at = body.indexOf(SENT_AT);
  if (at < 0) return;
  const sentAtMs = Number.parseFloat(body.slice(at + SENT_AT.length, at + SENT_AT.length + 20));
  if (sentAtMs > 0) latenciesMs.push(nowMs() - sentAtMs);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    note(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-length": 0 });
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on("message", (message) => {
  if (message === "latencies") {
    process.send?.({ latenciesMs });
    latenciesMs = [];
  } else {
    process.send?.({ count, cpuSeconds: cpuSeconds() });
  }
});
process.on("disconnect", () => process.exit());
