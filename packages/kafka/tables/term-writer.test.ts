// Owners of one piece of work that write one after the other, on a real Kafka.
import { expect, test } from "@jest/globals";
import { type ScratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";
import type { WriterTerm } from "../table-types.ts";
import { LAST_EPOCH } from "./stamped-writer.ts";

let scratch: ScratchKafka;

useScratchKafka((given) => {
  ({ scratch } = given);
});

const users = (topic: string, word: string, count = 1) =>
  Array.from({ length: count }, (_, at) => ({ topic, key: `u${at}`, value: Buffer.from(`${word} ${at}`) }));

async function written(topic: string): Promise<string[]> {
  const bounds = await scratch.kafka.admin().offsets(topic);
  const values: string[] = [];
  for (const { high, low, partition } of bounds)
    await scratch.kafka.readRange({
      ...{ topic, partition, fromOffset: low, toOffset: high },
      onRecord: ({ value }) => void values.push(String(value)),
    });
  return values;
}

async function nextOf(topic: string, before?: WriterTerm) {
  const term = await scratch.kafka.nextTerm(topic, before);
  return { term, writer: scratch.kafka.termWriter(term) };
}

test("what an earlier owner sends to a partition behind a later one is refused, however often it is tried", async () => {
  const [topic = ""] = await scratch.topics(["t"], 1);
  const one = await nextOf(topic);
  await one.writer.send(users(topic, "first"));
  const other = await nextOf(topic, one.term);
  expect(other.term).toEqual({ id: one.term.id, epoch: 1 });
  await one.writer.send(users(topic, "still first"));
  await other.writer.send(users(topic, "second"));
  const late = one.writer.send(users(topic, "late"));
  await expect(late).rejects.toMatchObject({ code: "fenced", canRetry: false });
  await expect(one.writer.send(users(topic, "later"))).rejects.toMatchObject({ code: "fenced" });
  await other.writer.send(users(topic, "second again"));
  expect(await written(topic)).toEqual(["first 0", "still first 0", "second 0", "second again 0"]);
});

test("records of several topics and partitions are written once each, by key, call after call", async () => {
  const topics = await scratch.topics(["a", "b"], 3);
  const { writer } = await nextOf(topics[0] ?? "");
  for (const word of ["x", "y"]) await writer.send(topics.flatMap((topic) => users(topic, word, 40)));
  for (const topic of topics) {
    const values = await written(topic);
    expect(values).toHaveLength(80);
    expect(new Set(values).size).toBe(80);
    for (let at = 0; at < 40; at += 1)
      expect(values.indexOf(`x ${at}`)).toBeLessThan(values.indexOf(`y ${at}`));
  }
});

test("the work of others is not touched, and after the last epoch an id follows that nobody has had", async () => {
  const [topic = ""] = await scratch.topics(["t"], 1);
  const [mine, theirs] = [await nextOf(topic), await nextOf(topic)];
  expect(mine.term.id).not.toBe(theirs.term.id);
  await theirs.writer.send(users(topic, "theirs"));
  await mine.writer.send(users(topic, "mine"));
  await theirs.writer.send(users(topic, "theirs again"));
  const last = await nextOf(topic, { ...mine.term, epoch: LAST_EPOCH });
  expect(last.term.epoch).toBe(0);
  expect([mine.term.id, theirs.term.id]).not.toContain(last.term.id);
});
