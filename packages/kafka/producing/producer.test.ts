import { afterEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import { TestHost } from "#testing/host";
import type { PartitionOutcome, ProduceClient } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { StubCluster } from "../fixtures/stub-cluster.ts";
import { createProduceClient } from "../protocol/produce-client.ts";
import type { KafkaLogger, OutgoingRecord, ProducerOptions } from "../types.ts";
import type { PartitionBatch } from "./accumulator.ts";
import { partitionOfKey } from "./partitioner.ts";
import { BatchingProducer, type ProducerParts } from "./producer.ts";

type Answer = (batches: readonly PartitionBatch[]) => Promise<readonly PartitionOutcome[]>;

const written: Answer = async (batches) =>
  batches.map(({ topic, partition }) => ({ topic, partition, error: undefined }));

const unavailable = new KafkaError("unavailable", "connection lost", { canRetry: true });
const notEnoughReplicas = new KafkaError("request_failed", "too few in sync", { canRetry: true });
const tooLarge = new KafkaError("record_too_large", "too large", { canRetry: false });

/** A produce client that answers as told, then as if all were well; it keeps every request's keys. */
class ScriptedClient implements ProduceClient {
  readonly requests: { partition: number; keys: (string | null)[] }[][] = [];
  readonly answers: Answer[] = [];
  resets = 0;

  async send(batches: readonly PartitionBatch[]): Promise<readonly PartitionOutcome[]> {
    this.requests.push(
      batches.map(({ partition, records }) => ({ partition, keys: records.map(({ record }) => record.key) })),
    );
    return (this.answers.shift() ?? written)(batches);
  }

  reset(): void {
    this.resets += 1;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const open: BatchingProducer[] = [];

afterEach(async () => {
  for (const producer of open.splice(0)) await producer.close();
});

function newProducer(
  client: ProduceClient,
  options: ProducerOptions = {},
  leaders = [1, 1, 1],
  renewed: string[] = [],
): BatchingProducer {
  const metadata: ProducerParts["metadata"] = {
    partitionCount: () => leaders.length,
    leader: ({ partition }) => leaders[partition] ?? -1,
    fetch: async () => undefined,
    renew: (topic) => void renewed.push(topic),
  };
  const parts = { client, metadata, logger: recordingLogger().logger, host: systemHost };
  const producer = new BatchingProducer(parts, options);
  open.push(producer);
  return producer;
}

/** One whose clock the test moves; one broker leads all partitions. */
function manualProducer(
  client: ProduceClient,
  host: TestHost,
  {
    logger = recordingLogger().logger,
    partitions = 1,
    leader = 1,
    anyPartition = [],
  }: { logger?: KafkaLogger; partitions?: number; leader?: number } & Pick<
    ProducerOptions,
    "anyPartition"
  > = {},
): BatchingProducer {
  const metadata: ProducerParts["metadata"] = {
    partitionCount: () => partitions,
    leader: () => leader,
    fetch: async () => undefined,
    renew: () => undefined,
  };
  return new BatchingProducer(
    { client, metadata, logger, host },
    { deliveryTimeoutMs: Number.POSITIVE_INFINITY, anyPartition },
  );
}

function record(key: string | null, value = "v"): OutgoingRecord {
  return { topic: "t", key, value: Buffer.from(value) };
}

/** Keys that fall into partition 0 of 3. */
const KEYS = Array.from({ length: 100 }, (_, i) => `key-${i}`).filter((key) => partitionOfKey(key, 3) === 0);

function keysOf(client: ScriptedClient): (string | null)[][] {
  return client.requests.map((batches) => batches.flatMap(({ keys }) => keys));
}

describe("producer", () => {
  test("a record leaves at once after a quiet time", async () => {
    const client = new ScriptedClient();
    await newProducer(client, { lingerMs: 60_000 }).send([record("a")]);
    expect(keysOf(client)).toEqual([["a"]]);
  });

  test("what arrives after a request leaves together, when the linger is over (fact 6)", async () => {
    const client = new ScriptedClient();
    const first = Promise.withResolvers<void>();
    client.answers.push(async (batches) => {
      await first.promise;
      return written(batches);
    });
    const host = new TestHost();
    const producer = manualProducer(client, host, { partitions: 3 });
    const sends = [producer.send([record(KEYS[0] ?? "")])];
    await host.advance(0);
    const later = Array.from({ length: 100 }, (_, i) => `later-${i}`).filter(
      (key) => partitionOfKey(key, 3) > 0,
    );
    for (const key of later) {
      sends.push(producer.send([record(key)]));
      await host.advance(0);
    }
    await host.advance(3);
    expect(client.requests).toHaveLength(1);
    await host.advance(1);
    expect(keysOf(client).map((keys) => keys.length)).toEqual([1, later.length]);
    first.resolve();
    await Promise.all(sends);
    expect(client.requests).toHaveLength(2);
  });

  test("a partition that the answer does not speak of is sent again (fact 1)", async () => {
    const client = new ScriptedClient();
    client.answers.push(async (batches) => (await written(batches)).slice(1));
    await newProducer(client).send(["a", "b", "c", "d", "e", "f"].map((key) => record(key)));
    const [first, second] = client.requests;
    expect(first?.length).toBeGreaterThan(1);
    expect(second).toEqual(first?.slice(0, 1));
  });

  test("only the partitions that failed are sent again", async () => {
    const client = new ScriptedClient();
    client.answers.push(async (batches) =>
      (await written(batches)).map((outcome, index) =>
        index === 1 ? { ...outcome, error: unavailable } : outcome,
      ),
    );
    await newProducer(client).send(["a", "b", "c", "d", "e", "f"].map((key) => record(key)));
    expect(client.requests[1]).toEqual(client.requests[0]?.slice(1, 2));
  });

  test("a partition's records keep their order over failed requests", async () => {
    const client = new ScriptedClient();
    const fail: Answer = async () => {
      throw unavailable;
    };
    client.answers.push(fail, fail);
    const producer = newProducer(client);
    const sends = KEYS.slice(0, 3).map(async (key, index) => {
      await until(() => client.requests.length >= index, {
        timeoutMs: 30_000,
        what: "the request before",
        pollMs: 1,
      });
      await producer.send([record(key)]);
    });
    await Promise.all(sends);
    const acknowledged = keysOf(client).slice(2).flat();
    expect(acknowledged).toEqual(KEYS.slice(0, 3));
  });

  test("a keyless record keeps its partition over retries (fact 11)", async () => {
    const client = new ScriptedClient();
    const fail: Answer = async () => {
      throw unavailable;
    };
    client.answers.push(fail, fail);
    await newProducer(client).send([record(null)]);
    const partitions = client.requests.map(([batch]) => batch?.partition);
    expect(new Set(partitions).size).toBe(1);
    expect(partitions).toHaveLength(3);
  });

  test("keyless records spread over the partitions", async () => {
    const client = new ScriptedClient();
    const producer = newProducer(client);
    for (let i = 0; i < 6; i += 1) await producer.send([record(null)]);
    expect(new Set(client.requests.map(([batch]) => batch?.partition))).toEqual(new Set([0, 1, 2]));
  });

  test("20,000 records to one partition go out in requests of at most 1,000 (fact 5)", async () => {
    const client = new ScriptedClient();
    const [key = ""] = KEYS;
    await newProducer(client).send(Array.from({ length: 20_000 }, () => record(key)));
    expect(client.requests).toHaveLength(20);
    for (const keys of keysOf(client)) expect(keys.length).toBeLessThanOrEqual(1_000);
  });

  test("a record that the broker refuses fails alone; its neighbours are written", async () => {
    const client = new ScriptedClient();
    const refuse: Answer = async (batches) =>
      batches.map(({ topic, partition, records }) => ({
        topic,
        partition,
        error: records.some(({ record: { value } }) => value?.toString() === "huge") ? tooLarge : undefined,
      }));
    client.answers.push(refuse, refuse, refuse, refuse);
    const producer = newProducer(client);
    const [a = "", b = "", c = ""] = KEYS;
    const results = await Promise.allSettled([
      producer.send([record(a)]),
      producer.send([record(b, "huge")]),
      producer.send([record(c)]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { code: "record_too_large", canRetry: false } });
  });

  test("when its neighbour is refused, a record that cannot be written just now is sent again, and nothing overtakes it", async () => {
    const client = new ScriptedClient();
    const outcome =
      (error?: KafkaError): Answer =>
      async (batches) =>
        batches.map(({ topic, partition }) => ({ topic, partition, error }));
    // All of them together, then the first alone, then the second.
    client.answers.push(outcome(tooLarge), outcome(tooLarge), outcome(unavailable));
    const keys = KEYS.slice(0, 4);
    const producer = newProducer(client);
    const results = await Promise.allSettled(keys.map((key) => producer.send([record(key)])));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    const [, second = "", ...others] = keys;
    expect(keysOf(client)).toEqual([keys, keys.slice(0, 1), [second], [second, ...others]]);
    expect(producer.backlog.records).toBe(0);
  });

  test("what was written of a call when its neighbour is refused is not sent again with the rest of it", async () => {
    const client = new ScriptedClient();
    const outcome =
      (error?: KafkaError): Answer =>
      async (batches) =>
        batches.map(({ topic, partition }) => ({ topic, partition, error }));
    // All of them together, then the first alone, then the second.
    client.answers.push(outcome(tooLarge), outcome(), outcome(unavailable));
    const [a = "", b = "", c = ""] = KEYS;
    const producer = newProducer(client);
    await Promise.all([producer.send([record(a), record(b)]), producer.send([record(c)])]);
    expect(keysOf(client)).toEqual([[a, b, c], [a], [b], [b, c]]);
    expect(producer.backlog.records).toBe(0);
  });

  test("who leads is asked again for the topics that failed, and for no others", async () => {
    const client = new ScriptedClient();
    client.answers.push(async (batches) =>
      batches.map(({ topic, partition }) => ({
        topic,
        partition,
        error: topic === "moved" ? unavailable : undefined,
      })),
    );
    const renewed: string[] = [];
    const producer = newProducer(client, {}, [1], renewed);
    await producer.send(["t", "moved"].map((topic) => ({ ...record("a"), topic })));
    expect(renewed).toEqual(["moved"]);
  });

  test("a call fails when its time is over, and its records are not sent any more", async () => {
    const client = new ScriptedClient();
    const never: Answer = async () => {
      throw unavailable;
    };
    client.answers.push(...new Array(100).fill(never));
    const producer = newProducer(client, { deliveryTimeoutMs: 200 });
    await expect(producer.send([record("a")])).rejects.toMatchObject({
      code: "delivery_timeout",
      canRetry: true,
    });
    expect(producer.backlog).toEqual({ records: 0, bytes: 0, oldestElapsedMs: undefined });
    client.answers.length = 0;
    // The pause after the failures may be longer than a call's time: a call that fails by it is given again, as its sender would.
    const isWritten = () =>
      producer.send([record("b")]).then(
        () => true,
        () => false,
      );
    await until(isWritten, { timeoutMs: 20_000, what: "a call after the failures" });
    expect(keysOf(client).at(-1)).toEqual(["b"]);
  });

  test("the backlog tells what is not acknowledged and since when", async () => {
    const client = new ScriptedClient();
    const answer = Promise.withResolvers<void>();
    client.answers.push(async (batches) => {
      await answer.promise;
      return written(batches);
    });
    const host = new TestHost();
    const producer = manualProducer(client, host);
    await host.advance(5);
    const headers = new Map([["trace", "123"]]);
    const sent = producer.send([record("a"), record(null, "three"), { ...record("bb"), headers }]);
    await host.advance(100);
    expect(producer.backlog.records).toBe(3);
    // Each record counts its key, value, headers, and 20 bytes.
    expect(producer.backlog.bytes).toBe(22 + 25 + 31);
    expect(producer.backlog.oldestElapsedMs).toBe(5);
    answer.resolve();
    await sent;
    expect(producer.backlog.records).toBe(0);
  });

  test("a broker that hangs does not hold up another one's partitions", async () => {
    const client = new ScriptedClient();
    const hanging = Promise.withResolvers<void>();
    client.answers.push(async (batches) => {
      await hanging.promise;
      return written(batches);
    });
    const producer = newProducer(client, {}, [1, 2, 2]);
    const [onFirst = ""] = KEYS;
    const onSecond =
      Array.from({ length: 100 }, (_, i) => `x-${i}`).find((key) => partitionOfKey(key, 3) > 0) ?? "";
    const slow = producer.send([record(onFirst)]);
    await until(() => client.requests.length === 1, { timeoutMs: 30_000, what: "the hanging request" });
    await producer.send([record(onSecond)]);
    hanging.resolve();
    await slow;
  });

  test("a broker that answers is not left alone for a while, and what is refused for good is no sign of trouble", async () => {
    const client = new ScriptedClient();
    const host = new TestHost();
    const { logger, lines } = recordingLogger();
    const producer = manualProducer(client, host, { logger });
    for (let count = 1; count <= 10; count += 1) {
      if (count % 2 === 0) client.answers.push(() => Promise.reject(tooLarge));
      const sent = producer.send([record(KEYS[0] ?? "")]).catch((error: unknown) => error);
      await host.advance(4);
      expect(await sent).toBe(count % 2 === 0 ? tooLarge : undefined);
      // A single record that is refused is not sent once more by itself.
      expect(client.requests).toHaveLength(count);
    }
    expect([client.resets, lines]).toEqual([0, []]);
  });

  test("that records are sent again is said at the first failure, the second, the fourth", async () => {
    const client = new ScriptedClient();
    const host = new TestHost();
    const { logger, lines } = recordingLogger();
    const producer = manualProducer(client, host, { logger });
    for (let failures = 1; failures <= 5; failures += 1)
      client.answers.push(() => Promise.reject(unavailable));
    const sent = producer.send([record(KEYS[0] ?? "")]);
    await host.advance(60_000);
    await sent;
    expect(client.requests).toHaveLength(6);
    const facts = { broker: 1, partitions: 1, error: "connection lost" };
    expect(lines).toEqual(
      [1, 2, 4].map((failures) => ({
        level: "warn",
        fields: { ...facts, failures },
        message: "records are sent again",
      })),
    );
  });

  test("a partition that its leader refuses waits alone: the others of that leader are sent, and its own keep their order", async () => {
    const client = new ScriptedClient();
    const refused: Answer = async (batches) =>
      (await written(batches)).map((outcome) =>
        outcome.partition === 0 ? { ...outcome, error: notEnoughReplicas } : outcome,
      );
    client.answers.push(...new Array(1_000).fill(refused));
    const host = new TestHost();
    const { logger, lines } = recordingLogger();
    const producer = manualProducer(client, host, { logger, partitions: 3 });
    const other =
      Array.from({ length: 100 }, (_, i) => `x-${i}`).find((key) => partitionOfKey(key, 3) > 0) ?? "";
    const own = [producer.send(Array.from({ length: 300 }, () => record(KEYS[0] ?? "")))];
    let taken = 0;
    const takenAtOnce: number[] = [];
    for (let second = 0; second < 10; second += 1) {
      own.push(producer.send([record(KEYS[second] ?? "")]));
      void producer.send([record(other)]).then(() => (taken += 1));
      await host.advance(4);
      takenAtOnce.push(taken);
      await host.advance(996);
    }
    expect(takenAtOnce).toEqual(takenAtOnce.map((_, index) => index + 1));
    const tries = client.requests.filter((batches) => batches.some(({ partition }) => partition === 0));
    expect([tries.length < 20, client.resets]).toEqual([true, 0]);
    expect(lines.map(({ fields }) => fields)).toMatchObject(
      [1, 2, 4, 8].map((failures) => ({ failures, partitions: 1 })),
    );
    client.answers.length = 0;
    await host.advance(1_000);
    await Promise.all(own);
    const keys = keysOf(client)
      .at(-1)
      ?.filter((key) => key !== other);
    expect(keys).toEqual([...new Array(300).fill(KEYS[0]), ...KEYS.slice(0, 10)]);
    await producer.close();
    expect(host.timers).toBe(0);
  });

  test("what its partition does not take within five seconds goes to another, where any is as good, and nothing else does", async () => {
    const client = new ScriptedClient();
    const taken: string[] = [];
    const refusing: Answer = async (batches) =>
      batches.map((batch) => {
        const error = batch.partition === 0 ? notEnoughReplicas : undefined;
        if (error === undefined)
          taken.push(...batch.records.map(({ record: { topic, key } }) => `${topic} ${key}`));
        return { ...batch, error };
      });
    client.answers.push(...Array.from({ length: 100 }, () => refusing));
    const host = new TestHost();
    const producer = manualProducer(client, host, { partitions: 3, anyPartition: ["any"] });
    const [key = ""] = KEYS;
    const sends = ["t", "any"].map((topic) => producer.send([{ ...record(key), topic }]));
    await host.advance(4_900);
    expect(taken).toEqual([]);
    await host.advance(10_000);
    expect([taken, producer.backlog.records]).toEqual([["any null"], 1]);
    client.answers.length = 0;
    await host.advance(20_000);
    await Promise.all(sends);
  });

  test("a partition that no answer speaks of has the connections replaced, though others are written", async () => {
    const client = new ScriptedClient();
    const without: Answer = async (batches) =>
      (await written(batches)).filter(({ partition }) => partition > 0);
    client.answers.push(...new Array(5).fill(without));
    await newProducer(client).send(["a", ...KEYS].map((key) => record(key)));
    expect(client.resets).toBe(1);
  });

  test("a partition that nobody leads has no connection replaced", async () => {
    const client = new ScriptedClient();
    client.answers.push(...new Array(10).fill(() => Promise.reject(unavailable)));
    const host = new TestHost();
    const { logger } = recordingLogger();
    const producer = manualProducer(client, host, { logger, leader: -1 });
    const sent = producer.send([record("a")]);
    await host.advance(60_000);
    await sent;
    expect([client.requests.length, client.resets]).toEqual([11, 0]);
  });

  test("two hundred records do not wait for the linger, fewer do", async () => {
    const client = new ScriptedClient();
    const host = new TestHost();
    const producer = manualProducer(client, host);
    const many = (count: number) => Array.from({ length: count }, () => record(KEYS[0] ?? ""));
    const sent = [producer.send(many(1))];
    await host.advance(0);
    sent.push(producer.send(many(199)));
    await host.advance(3);
    expect(client.requests).toHaveLength(1);
    sent.push(producer.send(many(1)));
    await host.advance(0);
    expect(client.requests.map((batches) => batches[0]?.keys.length)).toEqual([1, 200]);
    await Promise.all(sent);
  });

  test("after failures in a row the connections are replaced", async () => {
    const client = new ScriptedClient();
    const fail: Answer = async () => {
      throw unavailable;
    };
    client.answers.push(...new Array(5).fill(fail));
    await newProducer(client).send([record("a")]);
    expect(client.resets).toBe(1);
  });

  test("closing waits for the acknowledgements, and nothing is taken afterwards", async () => {
    const client = new ScriptedClient();
    const producer = newProducer(client);
    const sent = producer.send([record("a")]);
    await producer.close();
    await sent;
    await expect(producer.send([record("b")])).rejects.toMatchObject({ code: "closed" });
  });
});

describe("producer that gives up", () => {
  test("fails what is under way and what waits, sends neither again, and takes nothing more", async () => {
    const client = new ScriptedClient();
    const { promise: answer, reject } = Promise.withResolvers<readonly PartitionOutcome[]>();
    client.answers.push(() => answer);
    const host = new TestHost();
    const producer = manualProducer(client, host);
    const sent = [producer.send([record("under way")])];
    await host.advance(100);
    sent.push(producer.send([record("waits")]));
    producer.giveUp();
    for (const each of sent) await expect(each).rejects.toMatchObject({ code: "closed", canRetry: false });
    await expect(producer.send([record("later")])).rejects.toMatchObject({ code: "closed" });
    reject(unavailable);
    await host.advance(60_000);
    await producer.close();
    expect(keysOf(client)).toEqual([["under way"]]);
  });
});

describe("records that rest on a hold", () => {
  /** One record that rests on it and could not be sent at once, and one beside it. */
  async function failed() {
    const client = new ScriptedClient();
    client.answers.push(() => Promise.reject(unavailable));
    const host = new TestHost();
    const producer = manualProducer(client, host);
    const hold = { isHeld: true };
    const given = producer.send([record("given")], hold);
    const beside = producer.send([record("beside")]);
    await host.advance(1);
    hold.isHeld = false;
    return { beside, client, given, hold, host, producer };
  }

  test("wait, and what is in their partition, while it is not held; what comes meanwhile is refused", async () => {
    const { beside, client, given, hold, host, producer } = await failed();
    await host.advance(60_000);
    await expect(producer.send([record("late")], hold)).rejects.toMatchObject({ code: "aborted" });
    expect([keysOf(client).length, producer.backlog.records]).toEqual([1, 2]);
    hold.isHeld = true;
    await host.advance(2_000);
    await Promise.all([given, beside]);
    expect(keysOf(client).slice(1)).toEqual([["given", "beside"]]);
  });

  test("are not sent again once it is given up; those beside them are", async () => {
    const { beside, client, given, host, producer } = await failed();
    producer.giveUpLost();
    await expect(given).rejects.toMatchObject({ code: "aborted", canRetry: false });
    await host.advance(2_000);
    await beside;
    expect([keysOf(client).slice(1), producer.backlog.records]).toEqual([[["beside"]], 0]);
  });
});

describe("producer over the client's real one", () => {
  const keys = Array.from({ length: 40 }, (_, i) => `user-${i}`);

  /** A producer that believes the first leaders for ever, so that requests meet moved ones. */
  function overCluster(cluster: StubCluster): BatchingProducer {
    return newProducer(createProduceClient(cluster.asClient(), systemHost), {}, [1, 1, 2]);
  }

  test("no record is lost when a leader moves while a request is under way (facts 1 and 2)", async () => {
    const cluster = new StubCluster([1, 1, 2]);
    const producer = overCluster(cluster);
    let moves = 0;
    cluster.beforeProduce = () => {
      moves += 1;
      // Back and forth between a broker that has answered and one that has not.
      if (moves <= 4) cluster.leaders[1] = cluster.leaders[1] === 1 ? 2 : 1;
    };
    await producer.send(keys.map((key) => record(key)));
    const inLogs = cluster.logs.flat().map(({ key }) => key);
    expect(new Set(inLogs)).toEqual(new Set(keys));
  });

  test("every record is in the partition of its key", async () => {
    const cluster = new StubCluster([1, 1, 2]);
    await overCluster(cluster).send(keys.map((key) => record(key)));
    cluster.logs.forEach((log, partition) => {
      for (const { key } of log) expect(partitionOfKey(key ?? "", 3)).toBe(partition);
    });
  });
});
