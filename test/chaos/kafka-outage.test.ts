// The only broker goes away under load and comes back: ingest says 503 meanwhile, and nothing that was acknowledged is
// missing (contract 7.3).
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TURN_TIMEOUT_MS } from "#support/turn";
import { until } from "#support/until";
import { accountFor } from "./oracle.ts";
import { Recorder } from "./recorder.ts";
import { startSender } from "./sender.ts";
import { settle } from "./settle.ts";
import { startWorld, type World } from "./world.ts";

const TIMEOUT_MS = 600_000;
const recorder = new Recorder();
let world: World;

beforeAll(async () => {
  world = await startWorld({ recorder, brokers: 1, log: () => undefined });
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  // Undefined when it did not start.
  await (world as World | undefined)?.close();
}, 180_000);

async function untilAcknowledged(count: number): Promise<void> {
  const target = recorder.acknowledged + count;
  await until(() => recorder.acknowledged >= target, {
    timeoutMs: 120_000,
    what: `${count} more acknowledgements`,
  });
}

test(
  "Kafka killed and started under load: 503 meanwhile, every acknowledged call ends",
  async () => {
    let isEnough = false;
    const { signal } = new AbortController();
    const { done, refusals } = startSender({
      ingestUrls: world.fleet.ingestUrls,
      writeKeys: world.writeKeys,
      callsPerSecond: 50,
      recorder,
      // Every answer counts here, however late it comes on a busy machine.
      answerTimeoutMs: 60_000,
      isEnough: () => isEnough,
      signal,
    });
    await untilAcknowledged(200);
    await world.stack.broker(0).kill();
    await until(() => (refusals.get(503) ?? 0) > 20, { timeoutMs: 60_000, what: "ingest to answer 503" });
    await world.stack.broker(0).start();
    await untilAcknowledged(200);
    isEnough = true;
    await done;
    const { lost, altered } = accountFor(await settle(world, recorder));
    expect({ lost, altered }).toEqual({ lost: [], altered: [] });
    expect([...refusals.keys()]).toEqual([503]);
  },
  TIMEOUT_MS,
);
