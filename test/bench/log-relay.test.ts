// The log relay between the generator and the endpoints: what it has answered 200 arrives, each call once.
import { expect, jest, test } from "@jest/globals";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { startLogRelay } from "./relay.ts";
import { bareEndpoints, drained } from "./rig.ts";

// The first run downloads and compiles its client.
jest.setTimeout(300_000);

test("calls go through two topics and arrive once, whatever is gathered", async () => {
  const stack = await useStack();
  const endpoints = await bareEndpoints(3);
  const relay = await startLogRelay(stack, endpoints, 4);
  try {
    const since = await endpoints.sink.sample();
    const load = await relay.load({ writeKeys: endpoints.writeKeys, callsPerSecond: 0, inFlight: 16 });
    await until(async () => (await load.sample()).count > 500, { timeoutMs: 60_000, what: "500 answers" });
    const { accepted, ...outcome } = await drained(load, endpoints, since);
    expect(accepted).toBeGreaterThan(500);
    expect(outcome).toEqual({ refused: 0, missing: 0, doubles: 0 });
    const usage = await relay.usage();
    expect(usage.get("log relay")?.cpuSeconds).toBeGreaterThan(0);
    expect(usage.get("log relay")?.wakes).toBeGreaterThan(0);
    const requests = (await relay.requests()).get("log relay")?.byApi;
    expect(requests?.get("Produce")).toBeGreaterThan(1);
    expect(requests?.get("OffsetCommit")).toBeGreaterThan(1);
  } finally {
    await relay.stop();
    await endpoints.stop();
  }
});
