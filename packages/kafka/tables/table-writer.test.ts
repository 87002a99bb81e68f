// Writers of a table's topic that take its partitions from each other, on a real Kafka; and what a writer makes of lost answers.
import { describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { TestHost } from "#testing/host";
import type { PartitionOutcome, ProduceBatch } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { type ScratchKafka, scratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";
import { MarkingTableWriter } from "./table-writer.ts";

const TIMEOUT_MS = 30_000;

let brokers: readonly string[];
let scratch: ScratchKafka;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

async function processOf({ kafka }: ScratchKafka, topic: string) {
  const told: string[] = [];
  const table = kafka.table<string>({ topic, decode: ({ value }) => String(value) });
  table.onChange((key) => told.push(key));
  await table.load();
  return { table, told, writer: kafka.tableWriter({ topic, table, timeoutMs: TIMEOUT_MS }) };
}

const value = (text: string) => ({ key: "k", value: Buffer.from(text) });

test("a write of a process that another one has followed is refused, however long it stood still", async () => {
  const [topic = ""] = await scratch.topics(["t"], 1, { policy: "compact" });
  const one = await processOf(scratch, topic);
  const second = scratchKafka(brokers);
  try {
    const other = await processOf(second, topic);
    const held = await one.writer.take("k");
    await held.send(value("first"));

    const taken = await other.writer.take("k");
    expect(other.table.get("k")).toBe("first");
    await taken.send(value("second"));
    await expect(held.send(value("late"))).rejects.toMatchObject({ code: "fenced", canRetry: false });

    const again = await one.writer.take("k");
    expect(one.table.get("k")).toBe("second");
    await again.send(value("third"));
    await until(() => other.table.get("k") === "third", { timeoutMs: TIMEOUT_MS, what: "the third" });
    await expect(taken.send(value("late"))).rejects.toMatchObject({ code: "fenced" });
  } finally {
    await second.close();
  }
});

test("who holds a partition keeps it, and marks are nothing that a table has or tells", async () => {
  const [topic = ""] = await scratch.topics(["t"], 1, { policy: "compact" });
  const { table, told, writer } = await processOf(scratch, topic);
  const held = await writer.take("k");
  await held.send(value("first"));
  expect(await writer.take("k")).toBe(held);
  await held.send(value("second"));
  await until(() => table.get("k") === "second", { timeoutMs: TIMEOUT_MS, what: "the second" });
  expect([table.size, told]).toEqual([1, ["k", "k"]]);
});

test("of many that take a partition at once each gets its turn, and none writes over what it has not read", async () => {
  const [topic = ""] = await scratch.topics(["t"], 1, { policy: "compact" });
  const { table } = await processOf(scratch, topic);
  const add = async (): Promise<void> => {
    const mine = scratch.kafka.tableWriter({ topic, table, timeoutMs: TIMEOUT_MS });
    for (;;) {
      try {
        const held = await mine.take("k");
        await held.send(value(String(Number(table.get("k") ?? 0) + 1)));
        return;
      } catch (thrown) {
        if (!(thrown instanceof KafkaError) || thrown.code !== "fenced") throw thrown;
        await new Promise((resolve) => setTimeout(resolve, 20 + 60 * Math.random()));
      }
    }
  };
  await Promise.all(Array.from({ length: 5 }, () => add()));
  await until(() => table.get("k") === "5", { timeoutMs: TIMEOUT_MS, what: "five additions" });
}, 180_000);

describe("an answer that does not come", () => {
  type Answer = () => Promise<readonly PartitionOutcome[]>;
  const place = { topic: "t", partition: 0 };
  const written: Answer = async () => [{ ...place, error: undefined }];
  const lost: Answer = () => Promise.reject(new KafkaError("unavailable", "gone", { canRetry: true }));
  const fenced: Answer = async () => [
    { ...place, error: new KafkaError("fenced", "epoch", { canRetry: false }) },
  ];

  /** A cluster whose answers are given; the table reads everything that was sent. */
  function stage(answers: Answer[]) {
    const host = new TestHost();
    const sent: ProduceBatch[] = [];
    let open: string[] = [];
    let ids = 0;
    const client = {
      send: async ([batch]: readonly ProduceBatch[]) => {
        if (batch === undefined) throw new Error("nothing was sent");
        sent.push(batch);
        const [mark, id = ""] = batch.records[0]?.record.key?.split(":") ?? [];
        open = open.filter((each) => each !== id);
        if (mark === "~writer") open.push(id);
        return await (mark?.startsWith("~") === true ? written : (answers.shift() ?? written))();
      },
      reset: () => undefined,
      close: async () => undefined,
    };
    const cluster = { newProducerId: async () => String(++ids) };
    const metadata = { partitionCount: () => 1, fetch: async () => undefined };
    const table = { look: async () => undefined, openWriters: () => open, until: async () => undefined };
    const parts = { cluster, client, metadata, host };
    const writer = new MarkingTableWriter(parts, { topic: "t", table, timeoutMs: TIMEOUT_MS });
    return { host, sent, writer };
  }

  const stamps = (sent: readonly ProduceBatch[]) =>
    sent.map(({ producer, records }) => [producer?.id, producer?.sequence, records[0]?.record.key]);

  test("is asked for again as the same record, which the leader takes once", async () => {
    const { host, sent, writer } = stage([lost]);
    const held = await writer.take("k");
    const sending = held.send(value("v"));
    await host.advance(0);
    await host.advance(100);
    await sending;
    await held.send(value("w"));
    expect(stamps(sent)).toEqual([
      ["1", 0, "~writer:1"],
      ["1", 1, "k"],
      ["1", 1, "k"],
      ["1", 2, "k"],
    ]);
  });

  test("leaves open what became of the record when the writer is fenced then", async () => {
    const { host, writer } = stage([lost, fenced]);
    const held = await writer.take("k");
    const sending = expect(held.send(value("v"))).rejects.toMatchObject({ code: "delivery_timeout" });
    await host.advance(0);
    await host.advance(100);
    await sending;
  });

  test("ends the hold: the next one fences what may still be on its way", async () => {
    const { host, sent, writer } = stage([() => new Promise(() => undefined)]);
    const held = await writer.take("k");
    const sending = expect(held.send(value("v"))).rejects.toMatchObject({ code: "delivery_timeout" });
    await host.advance(0);
    await host.advance(TIMEOUT_MS);
    await sending;
    await expect(held.send(value("w"))).rejects.toMatchObject({ code: "fenced" });
    await writer.take("k");
    expect(stamps(sent).slice(2)).toEqual([
      ["2", 0, "~writer:2"],
      ["1", 0, "~fenced:1"],
    ]);
    expect(sent.at(-1)?.producer?.epoch).toBe(32_767);
  });

  test("a hold is taken anew after an hour, long before anybody forgets it", async () => {
    const { host, writer } = stage([]);
    const held = await writer.take("k");
    await host.advance(3_599_999);
    expect(await writer.take("k")).toBe(held);
    await host.advance(1);
    expect(await writer.take("k")).not.toBe(held);
  });
});
