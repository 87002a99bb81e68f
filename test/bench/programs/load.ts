// Sends calls to ingest: `closed` keeps `inFlight` requests under way, `open` starts requests at a fixed rate whatever the answers do.
import { Agent } from "undici";
import { sampleCall } from "../calls.ts";
import { cpuSeconds } from "../cpu.ts";

interface LoadOptions {
  readonly origin: string;
  /** Requests carry them in turn. */
  readonly writeKeys: readonly string[];
  readonly batchSize: number;
  readonly inFlight: number;
  /** Requests a second of an open loop; 0 is a closed loop. */
  readonly requestsPerSecond: number;
}

const options = JSON.parse(process.argv[2] ?? "{}") as LoadOptions;
const agent = new Agent({
  allowH2: false,
  pipelining: 1,
  connections: options.inFlight,
  keepAliveTimeout: 30_000,
});
const authorizations = options.writeKeys.map((key) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`);
const nowMs = (): number => performance.timeOrigin + performance.now();
let started = 0;
let answered = 0;
let refused = 0;
let answersMs: number[] = [];
let nextCall = process.pid * 1_000_000;

function requestBody(): { path: string; body: string } {
  if (options.batchSize <= 1)
    return { path: "/v1/track", body: JSON.stringify(sampleCall(nextCall++, nowMs())) };
  const batch = Array.from({ length: options.batchSize }, () => sampleCall(nextCall++, nowMs()));
  return { path: "/v1/batch", body: JSON.stringify({ batch }) };
}

function send(done: () => void): void {
  const authorization = authorizations[started % authorizations.length] ?? "";
  started += 1;
  const { path, body } = requestBody();
  const startedAtMs = performance.now();
  let status = 0;
  agent.dispatch(
    {
      origin: options.origin,
      path,
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body,
    },
    {
      onRequestStart() {
        // its presence tells undici which kind of handler this is
      },
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseEnd() {
        answersMs.push(performance.now() - startedAtMs);
        if (status === 200) answered += options.batchSize;
        else refused += options.batchSize;
        done();
      },
      onResponseError() {
        refused += options.batchSize;
        done();
      },
    },
  );
}

function again(): void {
  send(again);
}

/** Starts what is due since the last tick; the rate holds on average also when a timer is late. */
function openLoop(): void {
  const startedAtMs = performance.now();
  setInterval(() => {
    const due = ((performance.now() - startedAtMs) / 1000) * options.requestsPerSecond;
    while (started < due) send(() => undefined);
  }, 1);
}

if (options.requestsPerSecond > 0) openLoop();
else for (let i = 0; i < options.inFlight; i++) again();
process.on("message", (message) => {
  if (message === "answers") {
    process.send?.({ answersMs });
    answersMs = [];
  } else {
    process.send?.({ count: answered, refused, cpuSeconds: cpuSeconds() });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ ports: [] });
