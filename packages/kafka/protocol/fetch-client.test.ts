import { beforeEach, describe, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import { systemHost } from "#host";
import { settled } from "#testing/host";
import type { FetchClient } from "../cluster.ts";
import { fromClientError } from "../errors.ts";
import { StubReadCluster } from "../fixtures/stub-read-cluster.ts";
import { createFetchClient } from "./fetch-client.ts";

const FIRST = { topic: "t", partition: 0 };
const SECOND = { topic: "t", partition: 1 };

let cluster: StubReadCluster;
let client: FetchClient;

beforeEach(() => {
  cluster = new StubReadCluster();
  client = createFetchClient(cluster.asClient(), systemHost);
});

const away = new Error("away");

async function fail(): Promise<never> {
  throw away;
}

describe("connections of the fetch client", () => {
  test("those who read at a time share one", async () => {
    await Promise.all([client.bounds(FIRST), client.fetch(SECOND, 3), client.fetch(FIRST, 0)]);
    expect(cluster.asked).toEqual(["connect 1"]);
  });

  test("one that fails is closed, and the next try makes another", async () => {
    cluster.connects = fail;
    await expect(client.fetch(FIRST, 0)).rejects.toBe(away);
    cluster.connects = async () => undefined;
    await client.fetch(FIRST, 0);
    expect(cluster.asked).toEqual(["connect 1", "disconnect 1", "connect 2"]);
  });

  test("closing ends it, and nothing is read any more", async () => {
    await client.fetch(FIRST, 0);
    await client.close();
    const closed = { code: "closed", canRetry: false };
    await expect(client.fetch(FIRST, 0)).rejects.toMatchObject(closed);
    await expect(client.bounds(FIRST)).rejects.toMatchObject(closed);
    expect(cluster.asked).toEqual(["connect 1", "disconnect 1"]);
  });

  test("a client of another release, which shows its assigners no cluster, is an error that says so", async () => {
    const other = createFetchClient({ consumer: () => ({}) } as unknown as kafkajs.Kafka, systemHost);
    await expect(other.bounds(FIRST)).rejects.toThrow("the client has shown no cluster");
  });
});

describe("a renewal", () => {
  test("learns the leaders again, over the connection that there is", async () => {
    await client.renew();
    expect(cluster.asked).toEqual([]);
    await client.fetch(FIRST, 0);
    await client.renew();
    await client.fetch(FIRST, 0);
    expect(cluster.asked).toEqual(["connect 1", "refresh 1"]);
  });

  test("that fails ends the connection; the next try makes another", async () => {
    await client.fetch(FIRST, 0);
    cluster.refreshes = fail;
    await client.renew();
    await client.fetch(FIRST, 0);
    expect(cluster.asked).toEqual(["connect 1", "refresh 1", "disconnect 1", "connect 2"]);
  });

  test("by two at once that fails twice costs the connection that follows nothing", async () => {
    await client.fetch(FIRST, 0);
    const refusals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let refreshes = 0;
    cluster.refreshes = async () => refusals[refreshes++]?.promise;
    const renewals = [client.renew(), client.renew()];
    await settled();
    refusals[0]?.reject(away);
    await renewals[0];
    await client.fetch(FIRST, 0);
    refusals[1]?.reject(away);
    await renewals[1];
    await client.fetch(FIRST, 0);
    // The first one is closed when the last one who uses it is done.
    expect(cluster.asked).toEqual(["connect 1", "refresh 1", "refresh 1", "connect 2", "disconnect 1"]);
  });

  test("that waited for a connection which was closed meanwhile asks it for nothing", async () => {
    const connected = Promise.withResolvers<void>();
    cluster.connects = () => connected.promise;
    const reading = client.fetch(FIRST, 0).catch(() => undefined);
    const renewing = client.renew();
    const closing = client.close();
    connected.resolve();
    await Promise.all([reading, renewing, closing]);
    expect(cluster.asked).toEqual(["connect 1", "disconnect 1"]);
  });

  test("while the first try to connect fails is none", async () => {
    const refusal = Promise.withResolvers<void>();
    cluster.connects = () => refusal.promise;
    const reading = client.fetch(FIRST, 0).catch(() => undefined);
    const renewing = client.renew();
    refusal.reject(away);
    await Promise.all([reading, renewing]);
    expect(cluster.asked).toEqual(["connect 1", "disconnect 1"]);
  });
});

describe("the bounds of a partition", () => {
  test("are its own, among several", async () => {
    expect(await client.bounds(FIRST)).toEqual({ low: 0, high: 10 });
    expect(await client.bounds(SECOND)).toEqual({ low: 3, high: 30 });
  });

  test("are none when its topic has not so many", async () => {
    expect(await client.bounds({ topic: "t", partition: 2 })).toBeUndefined();
  });

  test("are no answer before the client knows the topic: a broker that is away has not said that there is none", async () => {
    cluster.leaders.length = 0;
    cluster.refreshes = fail;
    await expect(client.bounds(FIRST)).rejects.toBe(away);
    cluster.refreshes = async () => void cluster.leaders.push(1, 2);
    expect(await client.bounds(FIRST)).toEqual({ low: 0, high: 10 });
  });

  test.each([[[]], [[0]]])("may come later when they are not in the answer (%j)", async (answered) => {
    cluster.answersOffsetsOf = answered;
    await expect(client.bounds(SECOND)).rejects.toMatchObject({ code: "unavailable", canRetry: true });
  });
});

describe("a fetch", () => {
  test("asks the partition's leader for it from the offset on", async () => {
    await client.fetch(SECOND, 7);
    expect(cluster.requests).toMatchObject([
      {
        nodeId: "2",
        request: { topics: [{ topic: "t", partitions: [{ partition: 1, fetchOffset: "7" }] }] },
      },
    ]);
  });

  test("of a partition that nobody leads may succeed later", async () => {
    cluster.leaders[1] = undefined;
    await expect(client.fetch(SECOND, 3)).rejects.toMatchObject({ code: "unavailable", canRetry: true });
    expect(cluster.requests).toEqual([]);
  });

  test("that has waited for its turn at a silent broker is not asked of it once another leads", async () => {
    const silence = Promise.withResolvers<never>();
    cluster.answer = () => silence.promise;
    const readings = [0, 1].map((offset) => client.fetch(FIRST, offset).catch(fromClientError));
    await settled();
    cluster.leaders[0] = 2;
    silence.reject(away);
    const unavailable = { code: "unavailable", canRetry: true };
    expect(await Promise.all(readings)).toMatchObject([{ message: "away" }, unavailable]);
    expect(cluster.requests).toHaveLength(1);
  });

  test("of an offset that its leader has not is told as such, and nothing else is", async () => {
    cluster.answer = () => {
      throw Object.assign(new Error("not here"), { name: "KafkaJSOffsetOutOfRange" });
    };
    expect(await client.fetch(FIRST, 11)).toEqual({ kind: "out_of_range" });
    cluster.answer = () => fail();
    await expect(client.fetch(FIRST, 11)).rejects.toBe(away);
  });

  test("may bring nothing: no partition, as a throttled answer, or one without a batch", async () => {
    expect(await client.fetch(FIRST, 0)).toEqual({ kind: "nothing" });
    cluster.answer = () => ({
      responses: [{ topicName: "t", partitions: [{ partition: 0, messages: [] }] }],
    });
    expect(await client.fetch(FIRST, 0)).toEqual({ kind: "nothing" });
  });

  test("brings records from the offset on, and says where to go on", async () => {
    const of = (offset: number) => ({
      offset: String(offset),
      key: Buffer.from("k"),
      value: Buffer.from("v"),
      timestamp: "5",
    });
    const fetched = {
      partition: 0,
      highWatermark: "10",
      abortedTransactions: [],
      messages: [4, 5, 6].map(of),
    };
    cluster.answer = () => ({ responses: [{ topicName: "t", partitions: [fetched] }] });
    expect(await client.fetch(FIRST, 5)).toEqual({
      kind: "records",
      records: [5, 6].map((offset) => ({
        ...FIRST,
        offset,
        key: "k",
        value: Buffer.from("v"),
        timestampMs: 5,
      })),
      nextOffset: 7,
    });
  });
});
