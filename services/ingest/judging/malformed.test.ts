// Ten thousand requests that no SDK would send: the service answers each as the contract says or closes the connection,
// never fails, and its memory stays bounded.
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { post, useFixture } from "../fixtures/http.ts";
import { brokenHttp, type MalformedRequest, malformedRequest } from "../fixtures/malformed.ts";

const SEED = 20_240_501;
const PARALLEL = 16;

const ingest = await useFixture();

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
afterAll(() => agent.destroy());

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function statusOf({ path: to, headers: given, body }: MalformedRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method: "POST", agent, headers: { ...given, "content-length": String(body.length) } };
  request(ingest.url + to, options, resolve)
    .on("error", reject)
    .end(body);
  const response = await promise;
  const answer = JSON.parse(await readAll(response));
  const { statusCode = 0 } = response;
  // A refusal names its code; a success does not.
  if ((statusCode === 200) !== (answer.success === true))
    throw new Error(`${statusCode}: ${JSON.stringify(answer)}`);
  if (statusCode === 400 && typeof answer.code !== "string") throw new Error("400 without a code");
  return statusCode;
}

/** Sends bytes as they are and waits for the end of the connection; gives the status lines that came. */
async function statusesOfRaw(bytes: Uint8Array): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const socket = connect(ingest.port, "127.0.0.1", () => socket.end(bytes));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => resolve());
  await promise;
  return [
    ...Buffer.concat(chunks)
      .toString("latin1")
      .matchAll(/HTTP\/1\.1 (\d{3})/g),
  ].map(([, status = ""]) => status);
}

/** Runs `each` over all items, a few at a time. */
async function inParallel<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.values();
  const work = async () => {
    for (const item of left) results.push(await each(item));
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return results;
}

async function stillServes(): Promise<void> {
  expect(ingest.unexpected).toEqual([]);
  expect(ingest.gate.waitingBytes).toBe(0);
  const reply = await post(ingest, "/v1/track", { body: { event: "E", userId: "u" } });
  expect(reply).toMatchObject({ status: 200, body: { success: true } });
}

describe("malformed requests (contract 7.3, 7.5)", () => {
  test("9,000 malformed bodies are each answered 200 or 400, and memory stays bounded", async () => {
    const startBytes = process.memoryUsage().rss;
    let peakBytes = 0;
    const rounds = 9;
    const counts = new Map<number, number>();
    for (let round = 0; round < rounds; round += 1) {
      const requests = fc.sample(malformedRequest, { numRuns: 1_000, seed: SEED + round });
      for (const status of await inParallel(requests, statusOf))
        counts.set(status, (counts.get(status) ?? 0) + 1);
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
      ingest.stored.length = 0;
    }
    expect([...counts.keys()].sort()).toEqual([200, 400]);
    expect((counts.get(200) ?? 0) + (counts.get(400) ?? 0)).toBe(9_000);
    // The bombs alone would be some 20 GB; what is allowed here is mostly the generated requests themselves.
    expect(peakBytes - startBytes).toBeLessThan(400_000_000);
    await stillServes();
  }, 120_000);

  test("1,000 connections that speak broken HTTP are each closed, never with a 5xx", async () => {
    const statuses = (
      await inParallel(fc.sample(brokenHttp, { numRuns: 1_000, seed: SEED }), statusesOfRaw)
    ).flat();
    expect(statuses.filter((status) => status.startsWith("5"))).toEqual([]);
    expect(statuses.filter((status) => status === "400").length).toBeGreaterThan(100);
    await stillServes();
  }, 120_000);
});
