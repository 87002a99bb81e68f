// Sends track calls with one library and tells what it cost: node test/clients/bench-program.ts <library> <messages>. There is no network: what
// is left is the library's own work. Both have the same calls, batches of the same size, and every call is delivered before the clock stops.
import { setImmediate as turn } from "node:timers/promises";
import { GCProfiler } from "node:v8";
import { Analytics } from "@segment/analytics-node";
import { Hookline } from "../../clients/typescript/index.ts";

const BATCH = 20;
/** As many calls between two turns of the event loop: a program that never lets go of it sends nothing. */
const CALLS_A_TURN = 1_000;

const [library = "", count = "100000"] = process.argv.slice(2);
const messages = Number(count);
let delivered = 0;

interface Sender {
  readonly send: (call: { userId: string; event: string; properties: object }) => void;
  readonly end: () => Promise<unknown>;
}

function countDelivered(body: unknown): void {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
  delivered += (JSON.parse(text) as { batch: unknown[] }).batch.length;
}

function hookline(): Sender {
  const client = new Hookline("key", {
    flushAt: BATCH,
    queueBytes: 1_073_741_824,
    fetch: async (_url, { body }) => {
      countDelivered(body);
      return new Response('{"success":true}');
    },
  });
  const keep = ({ ok }: { ok: boolean }): void => {
    if (!ok) throw new Error("refused");
  };
  return { send: (call) => keep(client.track(call)), end: () => client.close() };
}

function segment(): Sender {
  const client = new Analytics({
    writeKey: "key",
    maxEventsInBatch: BATCH,
    httpClient: async (_url, request) => {
      countDelivered(request?.body);
      return new Response('{"success":true}');
    },
  });
  return { send: (call) => client.track(call), end: () => client.closeAndFlush() };
}

const properties = (i: number): object => ({
  orderId: String(i),
  total: 27.5,
  currency: "USD",
  coupon: "HASBROS",
  products: [
    { id: "507f1f77bcf86cd799439011", name: "Monopoly: 3rd Edition", price: 19, quantity: 1 },
    { id: "505bd76785ebb509fc183733", name: "Uno Card Game", price: 3, quantity: 2 },
  ],
});

async function run({ send, end }: Sender): Promise<void> {
  for (let i = 0; i < messages; i++) {
    send({ userId: "019mr8mf4r", event: "Order Completed", properties: properties(i) });
    if (i % CALLS_A_TURN === 0) await turn();
  }
  await end();
}

const collections = new GCProfiler();
collections.start();
const cpu = process.cpuUsage();
const startedAt = performance.now();
await run(library === "hookline" ? hookline() : segment());
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const { statistics } = collections.stop();
let allocatedBytes = 0;
let leftBytes: number | undefined;
for (const { beforeGC, afterGC } of statistics) {
  if (leftBytes !== undefined) allocatedBytes += beforeGC.heapStatistics.usedHeapSize - leftBytes;
  leftBytes = afterGC.heapStatistics.usedHeapSize;
}
if (delivered !== messages) throw new Error(`${delivered} of ${messages} were delivered`);
process.stdout.write(
  `${JSON.stringify({
    perSecond: Math.round(messages / seconds),
    cpuMicroseconds: (user + system) / messages,
    allocatedBytes: Math.round(allocatedBytes / messages),
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
  })}\n`,
);
