import { expect, test } from "@jest/globals";
import { until } from "#support/until";
import { withBareAdmin } from "../fixtures/bare-admin.ts";
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

test("a group whose place is below the log's start goes on there, and counts what is gone", async () => {
  const { brokers, scratch } = given;
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
  await withBareAdmin(brokers, async (admin) => {
    // Only then does it know the leader.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "25" }] });
  });
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
