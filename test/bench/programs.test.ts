// The generator and the endpoints of the benchmarks against each other: what one sends, the other counts.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, expect, jest, test } from "@jest/globals";
import { environment } from "#support/environment";
import { requireGo } from "#support/installed";
import { until } from "#support/until";
import { type Answers, type Load, type Sent, startLoad } from "./load.ts";
import type { Program } from "./process.ts";
import type { Latency } from "./report.ts";
import { type Received, startSink } from "./rig.ts";

// The first run compiles Go's standard library.
jest.setTimeout(240_000);

const started: { stop(): Promise<void> }[] = [];
const keep = <T extends { stop(): Promise<void> }>(part: T): T => {
  started.push(part);
  return part;
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((part) => part.stop()));
});

const originOf = (sink: Program, index = 0): string => `http://127.0.0.1:${sink.ports[index]}`;
const COUNT = "0".repeat(11);

/** A call as the generator writes it. */
function numbered(number: number, sentAtMicros: number, run = "1".repeat(20)): string {
  return JSON.stringify({ messageId: `bench-${run}-${COUNT}${number}`, properties: { sentAtMicros } });
}

function post(sink: Program, body: string): Promise<Response> {
  return fetch(originOf(sink), { method: "POST", body });
}

async function halted(load: Load): Promise<Sent> {
  await load.ask("halt");
  await until(async () => (await load.sample()).underWay === 0, {
    timeoutMs: 20_000,
    what: "answers to all requests",
  });
  return load.sample();
}

test("the closed loop's calls arrive each once, and the counts agree", async () => {
  const sink = keep(await startSink(1));
  const load = keep(
    await startLoad([originOf(sink)], { writeKeys: ["a", "bc"], callsPerSecond: 0, inFlight: 8 }),
  );
  await until(async () => (await load.sample()).count > 500, { timeoutMs: 20_000, what: "500 answers" });
  const sent = await halted(load);
  const received = await sink.sample();
  expect(sent.refused).toBe(0);
  expect(received).toMatchObject({ count: sent.count, requests: sent.requests, doubles: 0 });
  const { answers, perSecond } = await load.ask<Answers>("answers");
  expect(answers.count).toBe(sent.count);
  expect(perSecond.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(sent.count);
  const arrived = await sink.ask<Latency>("latencies");
  expect(arrived.count).toBe(sent.count);
  expect(arrived.p50Ms).toBeGreaterThan(0);
  expect(arrived.p50Ms).toBeLessThanOrEqual(answers.maxMs);
  expect(sent.cpuSeconds).toBeGreaterThan(0);
  expect(received.cpuSeconds).toBeGreaterThan(0);
});

test("two generators are told apart", async () => {
  const sink = keep(await startSink(2));
  const options = { writeKeys: ["a"], callsPerSecond: 0, inFlight: 2 };
  const loads = [
    keep(await startLoad([originOf(sink, 0)], options)),
    keep(await startLoad([originOf(sink, 1)], options)),
  ];
  await Promise.all(
    loads.map((load) =>
      until(async () => (await load.sample()).count > 50, { timeoutMs: 20_000, what: "50 answers" }),
    ),
  );
  const [one, two] = await Promise.all(loads.map(halted));
  expect(await sink.sample()).toMatchObject({ count: (one?.count ?? 0) + (two?.count ?? 0), doubles: 0 });
});

test("of several origins each gets connections, and those of one that is away go to the others", async () => {
  const [first, second] = [keep(await startSink(1)), keep(await startSink(1))];
  const options = { writeKeys: ["a"], callsPerSecond: 200, inFlight: 4 };
  const load = keep(await startLoad([originOf(first), originOf(second)], options));
  const counts = () => Promise.all([first, second].map(async (sink) => (await sink.sample()).count));
  const isEach = async (more: number) => (await counts()).every((count) => count > more);
  await until(() => isEach(10), { timeoutMs: 20_000, what: "calls at both" });
  await first.stop();
  const [before = 0] = [(await second.sample()).count];
  const refusedBefore = (await load.sample()).refused;
  await until(async () => (await second.sample()).count > before + 200, {
    timeoutMs: 20_000,
    what: "the rest",
  });
  // Two connections were there, each with one request.
  expect((await load.sample()).refused - refusedBefore).toBeLessThanOrEqual(2);
});

test("the open loop sends as many as its rate asks for, whatever the answers do", async () => {
  const sink = keep(await startSink(1));
  await sink.ask("hang");
  const beganAtMs = performance.now();
  const load = keep(
    await startLoad([originOf(sink)], { writeKeys: ["a"], callsPerSecond: 1_000, inFlight: 4 }),
  );
  await until(async () => (await load.sample()).requests >= 300, { timeoutMs: 20_000, what: "300 requests" });
  expect(performance.now() - beganAtMs).toBeGreaterThan(299);
  // Four connections wait for an answer that never comes; the others wait for a connection.
  expect(await load.sample()).toMatchObject({ count: 0, refused: 0 });
  await until(async () => (await sink.sample()).requests === 4, { timeoutMs: 20_000, what: "four requests" });
});

test("a batch is so many messages, each with a number of its own", async () => {
  const sink = keep(await startSink(1));
  const load = keep(
    await startLoad([originOf(sink)], { writeKeys: ["a"], callsPerSecond: 0, inFlight: 1, batchSize: 20 }),
  );
  await until(async () => (await load.sample()).count >= 100, { timeoutMs: 20_000, what: "100 calls" });
  const sent = await halted(load);
  expect(sent.count).toBe(sent.requests * 20);
  // It looks at a body's first message.
  expect(await sink.sample()).toMatchObject({ count: sent.requests, doubles: 0 });
});

test("a message that comes again is a double, and its latency is that of its first arrival", async () => {
  const sink = keep(await startSink(1));
  const sentAtMicros = Math.round((performance.timeOrigin + performance.now()) * 1_000);
  expect((await post(sink, numbered(1, sentAtMicros))).status).toBe(200);
  expect((await post(sink, numbered(2, sentAtMicros))).status).toBe(200);
  expect((await post(sink, numbered(1, sentAtMicros - 9_000_000))).status).toBe(200);
  expect((await post(sink, numbered(1, sentAtMicros, "2".repeat(20)))).status).toBe(200);
  expect(await sink.sample()).toMatchObject({ count: 3, doubles: 1, requests: 4 });
  const latency = await sink.ask<Latency>("latencies");
  expect(latency.count).toBe(3);
  expect(latency.maxMs).toBeLessThan(9_000);
});

test("percentiles are times that were measured, by the nearest rank", async () => {
  const sink = keep(await startSink(1));
  const nowMicros = Math.round((performance.timeOrigin + performance.now()) * 1_000);
  for (const [number, seconds] of [1, 200, 300, 400].entries())
    await post(sink, numbered(number, nowMicros - seconds * 1_000_000));
  const { p50Ms, p90Ms, maxMs } = await sink.ask<Latency>("latencies");
  expect(Math.floor(p50Ms / 100_000)).toBe(2);
  expect(Math.floor(p90Ms / 100_000)).toBe(4);
  expect(maxMs).toBe(p90Ms);
});

test("endpoints answer 500, reset, and hang as they are told", async () => {
  const sink = keep(await startSink(1));
  await sink.ask("error");
  expect((await post(sink, numbered(1, 1))).status).toBe(500);
  await sink.ask("reset");
  await expect(post(sink, numbered(1, 1))).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  await sink.ask("ok");
  expect((await post(sink, numbered(1, 1))).status).toBe(200);
  expect(await sink.sample()).toMatchObject({ count: 1, doubles: 0 });
});

test("one call of ten stumbles: it fails once, and how long it was in coming again is kept", async () => {
  const sink = keep(await startSink(1));
  await sink.ask("stumble");
  const statuses: number[] = [];
  for (let number = 0; number < 10; number += 1)
    statuses.push((await post(sink, numbered(number, 1))).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 503]);
  expect((await post(sink, numbered(9, 1))).status).toBe(200);
  const { againAfterMs } = await sink.ask<{ againAfterMs: number[] }>("again");
  expect(againAfterMs).toHaveLength(1);
  expect((await sink.sample()).count).toBe(10);
});

test("a half-open endpoint takes connections and answers none, until it is told otherwise", async () => {
  const sink = keep(await startSink(1));
  await sink.ask("half-open");
  const socket = connect(sink.ports[0] ?? 0, "127.0.0.1");
  // What it never read makes its end a reset.
  const reset = once(socket, "error");
  socket.resume().write("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
  await until(async () => (await sink.sample()).requests === 1, { timeoutMs: 20_000, what: "the request" });
  expect(socket.bytesRead).toBe(0);
  await sink.ask("ok");
  expect(await reset).toMatchObject([{ code: "ECONNRESET" }]);
  expect((await sink.sample()).count).toBe(0);
});

test("a server that is away refuses the generator's calls", async () => {
  const sink = await startSink(1);
  await sink.stop();
  const load = keep(
    await startLoad([originOf(sink)], { writeKeys: ["a"], callsPerSecond: 0, inFlight: 2, batchSize: 3 }),
  );
  await until(async () => (await load.sample()).refused >= 6, { timeoutMs: 20_000, what: "refusals" });
  expect((await load.sample()).count).toBe(0);
});

test("a program that has ended answers no question", async () => {
  const sink: Program<Received> = await startSink(1);
  await sink.stop();
  await expect(sink.sample()).rejects.toThrow("has ended");
});

const GO = join(import.meta.dirname, "go");

function run(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

test("the Go programs are formatted, pass go vet, and need nothing but the standard library", () => {
  requireGo();
  expect(run(GO, "gofmt", ["-l", "."])).toBe("");
  run(GO, "go", ["vet", "./..."]);
  const listed = ["list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./..."];
  const others = run(GO, "go", listed)
    .split("\n")
    .filter((path) => !/^(?:hookline\/test\/bench\/go\/.*|)$/.test(path));
  expect(others).toEqual([]);
});

test("the log relay, a module of its own, passes go vet", () => {
  requireGo();
  run(join(GO, "logrelay"), "go", ["vet", "./..."]);
});
