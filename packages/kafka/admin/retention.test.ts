import { expect, test } from "@jest/globals";
import { removeRecordsBefore } from "#support/kafka-access";
import { until } from "#support/until";
import {
  names,
  record,
  runnerOptions,
  type ScratchTest,
  startRunner,
  useScratchKafka,
} from "../fixtures/scratch-kafka.ts";

let given: ScratchTest;

useScratchKafka((test) => {
  given = test;
});

function removeBelow(offset: number, topic: string): Promise<void> {
  return removeRecordsBefore(given.brokers, { topic, partition: 0 }, offset);
}

test("a group whose place is below the log's start goes on there, and counts what is gone", async () => {
  const { scratch } = given;
  const [topic = ""] = await scratch.topics(["calls"], 1);
  const producer = scratch.kafka.producer();
  const stepped: string[] = [];
  const lost: object[] = [];
  const options = runnerOptions(scratch, {
    topics: [topic],
    producer,
    step: ({ decoded }, settle) => {
      stepped.push(decoded);
      settle({ produce: [] });
    },
    onRecordsLost: (each) => void lost.push(each),
  });
  const values = names("call-", 30);
  await producer.send(values.slice(0, 10).map((value) => record(topic, "key", value)));
  const first = await startRunner(scratch, options);
  await until(() => stepped.length === 10, { timeoutMs: 20_000, what: "the first records" });
  await first.stop(5_000);
  await producer.send(values.slice(10).map((value) => record(topic, "key", value)));
  await removeBelow(25, topic);
  const second = await startRunner(scratch, options);
  await until(() => stepped.length === 15, { timeoutMs: 20_000, what: "the records that are left" });
  expect(stepped).toEqual([...values.slice(0, 10), ...values.slice(25)]);
  expect(lost).toEqual([{ topic, partition: 0, records: 15, kind: "unread" }]);
  expect(scratch.lines).toContainEqual({
    level: "error",
    fields: { topic, partition: 0, records: 15, fromOffset: 10, toOffset: 25 },
    message: "records were removed before they were read",
  });
  await second.stop(5_000);
  expect(await scratch.kafka.admin().committedOffsets(options.groupId, topic)).toEqual(new Map([[0, 30]]));
});

test("what was done behind a record that is gone is not done again", async () => {
  const { scratch } = given;
  const [topic = ""] = await scratch.topics(["calls"], 1);
  const writer = scratch.kafka.producer();
  const stepped: string[] = [];
  const options = runnerOptions(scratch, {
    topics: [topic],
    producer: scratch.kafka.producer(),
    step({ decoded }, settle) {
      stepped.push(decoded);
      if (decoded !== "call-1") settle({ produce: [] });
    },
  });
  const values = names("call-", 10);
  await writer.send(values.slice(0, 8).map((value) => record(topic, "key", value)));
  const first = await startRunner(scratch, options);
  await until(() => stepped.length === 8, { timeoutMs: 20_000, what: "the first records" });
  await first.stop(100);
  expect(await scratch.kafka.admin().committedOffsets(options.groupId, topic)).toEqual(new Map([[0, 1]]));
  await writer.send(values.slice(8).map((value) => record(topic, "key", value)));
  await removeBelow(4, topic);
  const second = await startRunner(scratch, options);
  await until(() => stepped.includes("call-9"), { timeoutMs: 20_000, what: "the records behind them" });
  await second.stop(5_000);
  expect(stepped).toEqual(values);
});

test("a log that retention has emptied is read to its end, though no record says so", async () => {
  const { scratch } = given;
  const [topic = ""] = await scratch.topics(["calls"], 1);
  const producer = scratch.kafka.producer();
  const options = runnerOptions(scratch, {
    topics: [topic],
    producer,
    step: (_, settle) => settle({ produce: [] }),
  });
  const committed = () => scratch.kafka.admin().committedOffsets(options.groupId, topic);
  await producer.send([record(topic, "key", "read")]);
  const first = await startRunner(scratch, options);
  await until(async () => (await committed()).get(0) === 1, { timeoutMs: 20_000, what: "the first commit" });
  await first.stop(5_000);
  await producer.send(names("call-", 9).map((value) => record(topic, "key", value)));
  await removeBelow(10, topic);
  const second = await startRunner(scratch, options);
  await until(async () => (await committed()).get(0) === 10, { timeoutMs: 20_000, what: "the log's end" });
  await second.stop(5_000);
});
