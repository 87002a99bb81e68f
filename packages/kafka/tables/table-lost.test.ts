// A table whose topic was deleted or emptied, on a real Kafka.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { removeCompactedBefore } from "#support/kafka-access";
import { until } from "#support/until";
import type { LogLine } from "../fixtures/recording-logger.ts";
import { record, type ScratchKafka, scratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import type { Table } from "../table-types.ts";
import type { OutgoingRecord } from "../types.ts";
import { markRecords, restoreMarks } from "./open-restores.ts";

let brokers: readonly string[];
let scratch: ScratchKafka;
let config: string;
let jobs: string;
let table: Table<string>;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

const COMPACT = { policy: "compact" } as const;

beforeEach(async () => {
  [config = ""] = await scratch.topics(["config"], 2, COMPACT);
  [jobs = ""] = await scratch.topics(["jobs"], 1);
  await write(record(config, "a", "1"), record(config, "d", "1"), record(jobs, "a"));
  table = newTable(scratch);
});

afterEach(() => table.close());

async function write(...records: OutgoingRecord[]): Promise<void> {
  const producer = scratch.kafka.producer();
  await producer.send(records);
  await producer.close();
}

function newTable({ kafka }: ScratchKafka): Table<string> {
  return kafka.table({ topic: config, decode: ({ value }) => String(value), witnesses: [jobs] });
}

async function recreate(): Promise<void> {
  await scratch.kafka.admin().deleteTopics([config]);
  const gone = async () => !(await scratch.kafka.admin().topicNames()).includes(config);
  await until(gone, { timeoutMs: 20_000, what: "the topic gone" });
  const creation = { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 };
  await scratch.kafka.admin().ensureTopics([{ name: config, cleanup: COMPACT }], creation);
}

test("a table that runs keeps what it knows, says that it is lost, and follows the topic that comes after it", async () => {
  await table.load();
  await recreate();
  await expect(table.look()).rejects.toMatchObject({ code: "records_lost" });
  expect([...table.entries()].toSorted()).toEqual([
    ["a", "1"],
    ["d", "1"],
  ]);
  // A log that is as long as before when the table reads it shows nothing (decision 118).
  const isCut = ({ message }: LogLine) => message.startsWith("a partition's log ends before what was read");
  await until(() => scratch.lines.filter(isCut).length === 2, {
    timeoutMs: 30_000,
    what: "both ends seen",
  });
  await write(record(config, "a", "2"));
  await until(() => table.get("a") === "2", { timeoutMs: 30_000, what: "the new record" });
  // The other partition is still empty.
  await expect(table.look()).rejects.toMatchObject({ code: "records_lost" });
  await write(record(config, "d", "2"));
  await table.look();
  await until(() => table.get("d") === "2", { timeoutMs: 30_000, what: "the other record" });
}, 180_000);

test("a table that starts does not believe a topic that was created again, until there is something in it", async () => {
  await recreate();
  const other = scratchKafka(brokers);
  const late = newTable(other);
  let isLoaded = false;
  const loading = late.load().then(() => {
    isLoaded = true;
  });
  const said = () => other.lines.some(({ fields }) => String(Object(fields)["error"]).includes("are lost"));
  await until(said, { timeoutMs: 30_000, what: "the line" });
  expect(isLoaded).toBe(false);
  await write(record(config, "a", "2"));
  await loading;
  expect(late.get("a")).toBe("2");
  await other.close();
}, 180_000);

test("a witness that is not there yet says nothing: an empty topic is believed", async () => {
  await recreate();
  const [admin, witnesses] = [scratch.kafka.admin(), [`${jobs}-of-a-later-version`]];
  expect(await admin.holdsRecords({ topic: config, witnesses })).toBe(false);
}, 180_000);

test("a topic that is half restored is not loaded, and its marks are nothing that a table has or tells", async () => {
  const marks = restoreMarks("r", 2);
  const [some = "", ...others] = marks;
  await write(...markRecords(config, marks, "begun"), record(config, "b", "1"));
  const other = scratchKafka(brokers);
  const late = newTable(other);
  const told: string[] = [];
  late.onChange((key) => told.push(key));
  const loading = late.load();
  const said = () =>
    other.lines.some(({ fields }) => String(Object(fields)["error"]).includes("half restored"));
  await until(said, { timeoutMs: 30_000, what: "the line" });
  await write(...markRecords(config, [some], "ended"));
  await expect(late.look()).rejects.toMatchObject({ code: "records_lost" });
  expect(late.loaded).toBe(false);
  await write(...markRecords(config, others, "ended"));
  await loading;
  expect(told.toSorted()).toEqual(["a", "b", "d"]);
  expect([...late.entries()].map(([key]) => key).toSorted()).toEqual(["a", "b", "d"]);
  await late.look();
  await other.close();
}, 180_000);

test("a half restored topic that is created again and filled is believed by who had read the mark", async () => {
  await table.load();
  await write(...markRecords(config, restoreMarks("r", 2), "begun"));
  await until(
    () =>
      table.look().then(
        () => false,
        ({ message }: Error) => message.includes("half restored"),
      ),
    {
      timeoutMs: 30_000,
      what: "the marks",
    },
  );
  await recreate();
  await expect(table.look()).rejects.toMatchObject({ code: "records_lost" });
  await write(record(config, "a", "2"), record(config, "d", "2"));
  await until(
    () =>
      table.look().then(
        () => true,
        () => false,
      ),
    { timeoutMs: 60_000, what: "a look" },
  );
  expect(table.get("d")).toBe("2");
}, 180_000);

test("a partition that was emptied is noticed beside one that was not, by who runs and by who starts", async () => {
  await table.load();
  const [partition, other] = [partitionOfKey("a", 2), partitionOfKey("d", 2)];
  expect(partition).not.toBe(other);
  await removeCompactedBefore(brokers, { topic: config, partition }, 1);
  const lost = { code: "records_lost", message: expect.stringContaining(`partition ${partition}: `) };
  await expect(table.look()).rejects.toMatchObject(lost);
  const admin = scratch.kafka.admin();
  await expect(admin.holdsRecords({ topic: config, witnesses: [jobs] })).rejects.toMatchObject(lost);
  await write(record(config, "a", "2"));
  await table.look();
  expect(await admin.holdsRecords({ topic: config, witnesses: [jobs] })).toBe(true);
}, 180_000);

test("records that are deleted at the beginning of a partition are noticed by who saw them", async () => {
  await write(record(config, "a", "2"));
  await table.load();
  const partition = partitionOfKey("a", 2);
  await removeCompactedBefore(brokers, { topic: config, partition }, 1);
  const why = expect.stringContaining(`partition ${partition}: its beginning was 0 and is 1`);
  await expect(table.look()).rejects.toMatchObject({ code: "records_lost", message: why });
  await write(record(config, "a", "3"));
  await table.look();
}, 180_000);

test("records that are lost at the end of a partition are noticed by who read them", async () => {
  await write(record(config, "a", "2"));
  await table.load();
  await recreate();
  await write(record(config, "a", "1"), record(config, "d", "1"));
  const why = expect.stringContaining(`partition ${partitionOfKey("a", 2)}: its end was 2 and is 1`);
  await expect(table.look()).rejects.toMatchObject({ code: "records_lost", message: why });
  await write(record(config, "a", "3"));
  await table.look();
}, 180_000);
