import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { StubFetchClient } from "../fixtures/stub-fetch-client.ts";
import { readRange } from "./range.ts";

// Tests which failures pass, and how long they are waited for.

let host: TestHost;
let client: StubFetchClient;
/** Offsets in the order in which they were given on. */
let read: number[];
/** The end of the reading. */
let ended: "read" | KafkaError | undefined;
let closing: AbortController;

beforeEach(() => {
  host = new TestHost();
  client = new StubFetchClient();
  closing = new AbortController();
  [read, ended] = [[], undefined];
});

afterEach(() => closing.abort());

function readFrom(fromOffset: number, toOffset: number, areEndsKnown?: boolean): void {
  const { logger } = recordingLogger();
  const onRecord = ({ offset }: { offset: number }): void => void read.push(offset);
  const ends = areEndsKnown === undefined ? {} : { areEndsKnown };
  const options = { topic: "t", partition: 0, fromOffset, toOffset, ...ends, onRecord };
  readRange({ client, logger, host, closing: closing.signal }, options).then(
    () => {
      ended = "read";
    },
    (thrown: KafkaError) => {
      ended = thrown;
    },
  );
}

/** Reads the first record, for so long. */
async function readWithin(ms: number): Promise<void> {
  readFrom(0, 1);
  await host.advance(ms);
}

function times<T>(count: number, what: T): T[] {
  return Array.from({ length: count }, () => what);
}

test("an offset out of range that the log has is asked for again after a pause, at the leader that is known by then", async () => {
  client.answers.push({ kind: "out_of_range" });
  await readWithin(49);
  expect([client.fetches, ended]).toEqual([[0], undefined]);
  await host.advance(1);
  expect([client.fetches, client.renewals, ended]).toEqual([[0, 0], 1, "read"]);
});

test("however long its leader does not know better, it passes", async () => {
  client.answers.push(...times(30, { kind: "out_of_range" } as const));
  readFrom(5, 6);
  await host.advance(60_000);
  expect([read, client.renewals, ended]).toEqual([[5], 30, "read"]);
});

test.each([
  ["the first", 5],
  ["the last", 9],
])("so also %s that the log has", async (_which, offset) => {
  client.between = { low: 5, high: 10 };
  client.answers.push({ kind: "out_of_range" });
  readFrom(offset, offset + 1);
  await host.advance(60_000);
  expect([client.renewals, read]).toEqual([1, [offset]]);
});

test("one that the log has no more is no failure: the reading goes on where the log begins", async () => {
  const { fetch } = client;
  client.fetch = async () => {
    client.between = { low: 4, high: 10 };
    client.fetch = fetch;
    return { kind: "out_of_range" };
  };
  readFrom(0, 6);
  await host.advance(0);
  expect([read, client.renewals, ended]).toEqual([[4, 5], 0, "read"]);
});

test.each([
  [
    "what the client calls final",
    new KafkaError("request_failed", "invariant violated", { canRetry: false }),
  ],
  ["a topic that is gone", new KafkaError("unknown_topic", "gone", { canRetry: true })],
])("%s is tried eight times before it is final", async (_, failure) => {
  client.answers.push(...times(8, failure));
  await readWithin(60_000);
  expect([client.fetches.length, ended]).toEqual([8, failure]);
});

test("what the client calls final and passes before that is no end", async () => {
  const odd = new KafkaError("request_failed", "invariant violated", { canRetry: false });
  client.answers.push(...times(7, odd));
  await readWithin(60_000);
  expect([client.fetches.length, ended]).toEqual([8, "read"]);
});

test("what may not be read is final at once", async () => {
  const refused = new KafkaError("not_authorized", "no", { canRetry: false });
  client.answers.push(refused);
  await readWithin(60_000);
  expect([client.fetches.length, client.renewals, ended]).toEqual([1, 0, refused]);
});

test("a partition that a topic has not is final at once", async () => {
  client.between = undefined;
  await readWithin(60_000);
  expect(ended).toMatchObject({ code: "unknown_topic", canRetry: false });
  expect([client.looksAtBounds, client.fetches]).toEqual([1, []]);
});

test("brokers that are away are waited for without end, a second at a time", async () => {
  const away = new KafkaError("unavailable", "away", { canRetry: true });
  client.answers.push(...times(100, away));
  await readWithin(90_000);
  const before = client.fetches.length;
  await host.advance(5_000);
  expect([client.fetches.length - before, ended]).toEqual([5, undefined]);
  await host.advance(60_000);
  expect([read, ended]).toEqual([[0], "read"]);
});

test("after twenty answers in a row without a record it looks whether the log still reaches so far", async () => {
  client.answers.push(...times(19, { kind: "nothing" } as const));
  await readWithin(0);
  expect([client.looksAtBounds, read, ended]).toEqual([1, [0], "read"]);
  client.answers.push(...times(20, { kind: "nothing" } as const));
  readFrom(1, 2);
  await host.advance(0);
  expect([client.looksAtBounds, read]).toEqual([3, [0, 1]]);
});

test("a log whose ends are known is read at once, and looked at where it begins behind them by now", async () => {
  readFrom(0, 1, true);
  await host.advance(0);
  expect([client.looksAtBounds, read, ended]).toEqual([0, [0], "read"]);
  client.answers.push({ kind: "out_of_range" });
  client.between = { low: 5, high: 9 };
  readFrom(1, 5, true);
  await host.advance(0);
  expect([client.looksAtBounds, read, ended]).toEqual([2, [0], "read"]);
});
