// Connection syncs on a simulated Kafka: what a process makes of a destination's versions that another one was killed over.

import { describe, expect, test } from "@jest/globals";
import { userProfileId } from "#audiences";
import { destination } from "#support/records";
import { NO_FAULTS, PASS } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { AudienceConfig, ConnectionSync, DeliveryJob, DestinationConfig, ProfileResult } from "#topics";
import { quietProcess } from "../../../../test/simulation/world/fixtures/quiet-process.ts";
import { type QuietWorld, startWorld } from "../../../../test/simulation/world/fixtures/quiet-world.ts";
import { createConfigStore } from "../../records/config-store.ts";
import { createOwnedWork } from "../../records/durable-work/owned-work.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import { openConnectionSyncs } from "./open.ts";

const USERS = ["u1", "u2", "u3", "u4"];
const AUDIENCE = {
  ...{ id: "aud_1", key: "vips", kind: "audience", deletedAtMs: null, sentTraits: [] as string[] },
} as AudienceConfig;
const MEMBER: ProfileResult = {
  computationId: AUDIENCE.id,
  text: "true",
  seq: 1,
  sinceMs: 5,
  generation: 1,
  deadlineMs: null,
};

/** Four members in two partitions. */
const profiles = {
  partitions: 2,
  refresh: async () => undefined,
  ids: (partition: number, after = "") =>
    USERS.slice(partition * 2, partition * 2 + 2)
      .map(userProfileId)
      .filter((id) => id > after),
  sentOf: async () => ({ incarnation: 1, lists: [], results: [MEMBER], redirectTo: null }),
} as unknown as ProfileReader;

/** A process of control that has nothing but connection syncs, and writes one call a second. */
async function control(quiet: QuietWorld, name: string) {
  const { cluster } = quiet.world;
  const { host, kafka, lifecycle, logger, metrics, serde, topics } = quietProcess(quiet, name);
  const topic = topics.destinationConfig;
  const table = kafka.table<DestinationConfig>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
  });
  const destinations = createConfigStore({ topic, table, producer: kafka.producer(), serde });
  const settings = {
    topics: { prefix: "" },
    connectionSyncs: { callsPerSecond: 1 },
    switch: { hasAudiences: true },
  };
  const health = { readiness: () => undefined };
  const context = {
    settings,
    health,
    lifecycle,
    logger,
    host,
    metrics,
    nowMs: () => host.now(),
  };
  void serde
    .start()
    .then(() => table.load())
    .then(() => {
      const ownedWork = createOwnedWork(context as never, { kafka, topics });
      openConnectionSyncs(context as unknown as Parameters<typeof openConnectionSyncs>[0], {
        kafka,
        ownedWork,
        serde,
        topics,
        destinations,
        audiences: { get: () => AUDIENCE, refresh: async () => undefined },
        profiles,
        suppressed: { refresh: async () => undefined, isSuppressed: () => false },
      });
      ownedWork.start();
    });
  return {
    /** As a process whose clock is so far ahead. */
    configure(version: number, enabled: boolean, skewMs = 0): void {
      const times = { createdAtMs: EPOCH_MS, updatedAtMs: host.now() + skewMs };
      void destinations.put(destination({ id: "d", enabled, sourceIds: ["spa_default"], version, ...times }));
    },
    /** User and job id of each job that was written. It takes a moment of the world's time. */
    async given(): Promise<string[]> {
      const records = cluster.records(topics.deliveryJobs.name).flat();
      const jobs: DeliveryJob[] = [];
      for (const { value } of records)
        void Promise.resolve(serde.decode(topics.deliveryJobs, value)).then((job) => jobs.push(job));
      await quiet.until(quiet.world.time.nowMs + 100);
      return jobs.map(({ jobId, userId }) => `${userId} ${jobId}`);
    },
    /** What the topic says of the destination; as `given`. */
    async noted(): Promise<ConnectionSync[]> {
      const records = cluster.records(topics.connectionSyncs.name).flat();
      const syncs: ConnectionSync[] = [];
      for (const { value } of records)
        if (value !== null)
          void Promise.resolve(serde.decode(topics.connectionSyncs, value)).then((sync) => syncs.push(sync));
      await quiet.until(quiet.world.time.nowMs + 100);
      return syncs;
    },
    /** From the moment on at which it writes once more how far it is. */
    cutOffWhenItNotes(): void {
      cluster.faults = {
        decide({ api, partitions = [], process }) {
          const isNoting = partitions.some((one) => one.topic === topics.connectionSyncs.name);
          if (api !== "produce" || process !== name || !isNoting) return PASS;
          cluster.cut(name);
          return { kind: "lose_request" };
        },
      };
    },
    heal(): void {
      cluster.faults = NO_FAULTS;
      cluster.heal(name);
    },
    kill(): void {
      host.kill();
      cluster.kill(name);
    },
  };
}

async function setup() {
  const quiet = startWorld({ processes: [], destinations: [] });
  const pass = (ms: number) => quiet.until(quiet.world.time.nowMs + ms);
  return { quiet, pass };
}

test("one that was off and on while it was given its members is given all of them, though the process that read so was killed", async () => {
  const { pass, quiet } = await setup();
  const first = await control(quiet, "control-1");
  await pass(10_000);
  first.configure(1, true);
  // The first partition's members are written, one of the second's is.
  await pass(4_200);
  const before = await first.given();
  expect(before.map((job) => job.slice(0, 2)).sort()).toEqual(["u1", "u2", "u3"]);
  first.configure(2, false);
  await pass(100);
  first.configure(3, true);
  // Long enough for what is done to be committed, and too short for the next look at the destination.
  await pass(300);
  expect(await first.given()).toHaveLength(3);
  first.kill();
  const second = await control(quiet, "control-2");
  await pass(60_000);
  const anew = (await second.given()).filter((job) => !before.includes(job));
  expect(anew.map((job) => job.slice(0, 2)).sort()).toEqual(USERS);
});

describe("a process that was cut off as it noted how far it was", () => {
  /** Another one has given the destination all its members since. */
  async function overtaken() {
    const { pass, quiet } = await setup();
    const first = await control(quiet, "control-1");
    await pass(10_000);
    first.configure(1, true);
    // The first partition's members are being written; the next note is that of the second's.
    await pass(2_500);
    first.cutOffWhenItNotes();
    await pass(2_000);
    const second = await control(quiet, "control-2");
    await pass(40_000);
    expect((await second.noted()).at(-1)).toMatchObject({ isDone: true });
    return { first, pass, quiet, second };
  }

  test("does not note it behind its successor", async () => {
    const { first, pass, second } = await overtaken();
    first.heal();
    await pass(60_000);
    expect((await second.noted()).at(-1)).toMatchObject({ isDone: true });
  });

  test("keeps no members from a destination that was switched off meanwhile and is on again", async () => {
    const { first, pass, quiet, second } = await overtaken();
    second.configure(2, false);
    await pass(10_000);
    first.heal();
    await pass(60_000);
    const before = await second.given();
    for (const one of [first, second]) one.kill();
    const third = await control(quiet, "control-3");
    await pass(20_000);
    third.configure(3, true);
    await pass(20_000);
    const anew = (await third.given()).filter((job) => !before.includes(job));
    expect(anew.map((job) => job.slice(0, 2)).sort()).toEqual(USERS);
  });
});

test.each([-3_600_000, 3_600_000])(
  "one that was off and on is given its members within seconds, by whatever clock: %i ms",
  async (skewMs) => {
    const { pass, quiet } = await setup();
    const only = await control(quiet, "control-1");
    await pass(10_000);
    only.configure(1, true);
    await pass(20_000);
    const before = await only.given();
    expect(before).toHaveLength(4);
    only.configure(2, false, skewMs);
    only.configure(3, true, skewMs);
    await pass(10_000);
    const anew = (await only.given()).filter((job) => !before.includes(job));
    expect(anew.map((job) => job.slice(0, 2)).sort()).toEqual(USERS);
  },
);
