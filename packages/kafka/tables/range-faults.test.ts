import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import type { FetchClient } from "../cluster.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { ERROR, PARTITION, StubLog } from "../fixtures/stub-log.ts";
import { createFetchClient } from "../protocol/fetch-client.ts";
import type { ReadRangeOptions } from "../types.ts";
import { readRange } from "./range.ts";

// Tests of a reading during which its topic or brokers change.

let log: StubLog;
let client: FetchClient;
let closing: AbortController;
let lines: readonly { readonly message: string }[];
/** Offsets in the order in which they were given on. */
let read: number[];
let recorder: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  log = new StubLog();
  client = createFetchClient(log.asClient(), systemHost);
  closing = new AbortController();
  recorder = recordingLogger();
  ({ lines } = recorder);
  read = [];
});

afterEach(() => client.close());

function reading(fromOffset: number, toOffset: number, more: Partial<ReadRangeOptions> = {}): Promise<void> {
  const onRecord = ({ offset }: { offset: number }): void => void read.push(offset);
  const options = { ...PARTITION, fromOffset, toOffset, onRecord, ...more };
  return readRange({ client, logger: recorder.logger, host: systemHost, closing: closing.signal }, options);
}

/** Batches of ten. */
function fill(batches: number): void {
  for (let batch = 0; batch < batches; batch += 1) log.append(offsets(batch * 10, batch * 10 + 10));
}

function offsets(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe("reading a range while leaders and brokers move", () => {
  test("a leader that moved is asked for and the reading goes on at the same offset", async () => {
    fill(5);
    log.beforeFetch = (offset) => {
      if (offset === 20) log.leader = 2;
    };
    await reading(0, 50);
    expect(read).toEqual(offsets(0, 50));
    expect(log.fetches).toEqual([0, 10, 20, 20, 30, 40]);
  });

  test("an answer of an older epoch is asked for again", async () => {
    fill(2);
    log.beforeFetch = (_, fetches) => {
      if (fetches === 2) throw log.error(ERROR.fencedEpoch);
    };
    await reading(0, 20);
    expect(read).toEqual(offsets(0, 20));
  });

  test("brokers that are away are waited for, over new connections, and it is said", async () => {
    fill(3);
    log.beforeFetch = (_, fetches) => {
      if (fetches === 2) log.isReachable = false;
      if (fetches === 2) throw log.unreachable();
    };
    const ended = reading(0, 30);
    await until(() => lines.length >= 3, { timeoutMs: 20_000, what: "the third line of the outage" });
    expect(read).toEqual(offsets(0, 10));
    log.isReachable = true;
    await ended;
    expect(read).toEqual(offsets(0, 30));
    expect(log.connections).toBe(1);
  });

  test("brokers that are away from the start are waited for too", async () => {
    fill(1);
    log.isReachable = false;
    const ended = reading(0, 10);
    await until(() => lines.length >= 2, { timeoutMs: 20_000, what: "the second line of the outage" });
    log.isReachable = true;
    await ended;
    expect(read).toEqual(offsets(0, 10));
  });

  test("a topic that is gone is waited for a few tries long, then it is an error", async () => {
    fill(2);
    log.beforeFetch = (_, fetches) => {
      if (fetches === 1) return;
      log.topicExists = false;
      throw log.error(ERROR.unknownTopic);
    };
    await expect(reading(0, 20)).rejects.toMatchObject({ code: "unknown_topic" });
    expect(read).toEqual(offsets(0, 10));
  }, 30_000);
});

describe("several readings", () => {
  test("a broker is asked by one at a time: the client opens a connection for each that finds none", async () => {
    fill(3);
    log.beforeFetch = () => new Promise((resolve) => setImmediate(resolve));
    await Promise.all([reading(0, 30), reading(0, 30), reading(0, 30)]);
    expect(read.sort((a, b) => a - b)).toEqual(offsets(0, 30).flatMap((offset) => [offset, offset, offset]));
    expect(log.mostAtATime).toBe(1);
    expect(log.connections).toBe(1);
  });

  test("one that is refused holds up no other", async () => {
    fill(3);
    log.beforeFetch = (_, fetches) => {
      if (fetches === 1) throw log.error(ERROR.notLeader);
    };
    await Promise.all([reading(0, 30), reading(0, 30)]);
    expect(read).toHaveLength(60);
  });
});

describe("reading a range of a log that is not whole", () => {
  test("what retention removed meanwhile is skipped", async () => {
    fill(5);
    log.beforeFetch = (offset) => {
      if (offset === 10) log.low = 30;
    };
    const removed: number[] = [];
    await reading(0, 50, { onRemoved: (more) => removed.push(more) });
    await reading(0, 20, { onRemoved: (more) => removed.push(more) });
    expect(removed).toEqual([20, 20]);
    expect(read).toEqual([...offsets(0, 10), ...offsets(30, 50)]);
  });

  test("a range that retention removed to its end is read", async () => {
    fill(5);
    log.beforeFetch = (offset) => {
      if (offset === 10) log.low = 40;
    };
    await reading(0, 35);
    expect(read).toEqual(offsets(0, 10));
  });

  test("an offset that is out of range for a leader that does not know better yet is asked for again", async () => {
    fill(2);
    let refusals = 0;
    log.beforeFetch = (offset) => {
      if (offset !== 10 || refusals === 3) return;
      refusals += 1;
      throw Object.assign(new Error("not here"), { name: "KafkaJSOffsetOutOfRange" });
    };
    await reading(0, 20);
    expect(read).toEqual(offsets(0, 20));
    expect(refusals).toBe(3);
  });

  test("compacted records and whole compacted batches are gaps", async () => {
    log.append([0, 3], 9);
    log.append([], 19);
    log.append([25], 29);
    await reading(0, 30);
    expect(read).toEqual([0, 3, 25]);
  });

  test("an end that lies in a gap ends the reading", async () => {
    log.append([0, 3], 9);
    log.append([25], 29);
    await reading(0, 15);
    expect(read).toEqual([0, 3]);
    read = [];
    await reading(5, 22);
    expect(read).toEqual([]);
  });

  test("control records are a gap, also at the end", async () => {
    log.append([0, 1]);
    log.appendControl(2);
    log.append([3, 4]);
    log.appendControl(5);
    await reading(0, 6);
    expect(read).toEqual([0, 1, 3, 4]);
  });

  test("of a batch that reaches over both ends only what was asked for is given on", async () => {
    fill(3);
    await reading(7, 23);
    expect(read).toEqual(offsets(7, 23));
  });

  test("a log that lost its end with its leader ends the reading there", async () => {
    fill(3);
    log.beforeFetch = (offset) => {
      if (offset === 20) log.batches.length = 2;
    };
    await reading(0, 30);
    expect(read).toEqual(offsets(0, 20));
  });

  test("an answer without anything, as a throttled one, is asked for again", async () => {
    fill(2);
    log.throttledAnswers = 50;
    await reading(0, 20);
    expect(read).toEqual(offsets(0, 20));
    expect(log.fetches).toHaveLength(52);
  });
});

describe("ending a reading", () => {
  test("the next records wait for the reader's promise", async () => {
    fill(2);
    const taken = Promise.withResolvers<void>();
    const onRecord = ({ offset }: { offset: number }): Promise<void> | undefined => {
      read.push(offset);
      return offset === 4 ? taken.promise : undefined;
    };
    const ended = reading(0, 20, { onRecord });
    await until(() => read.length === 5, { timeoutMs: 20_000, what: "the record with a promise" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(read).toEqual(offsets(0, 5));
    taken.resolve();
    await ended;
    expect(read).toEqual(offsets(0, 20));
  });

  test("a signal ends it between two records", async () => {
    fill(2);
    const ending = new AbortController();
    const onRecord = ({ offset }: { offset: number }): void => {
      read.push(offset);
      if (offset === 4) ending.abort();
    };
    await expect(reading(0, 20, { onRecord, signal: ending.signal })).rejects.toMatchObject({
      code: "aborted",
      canRetry: false,
    });
    expect(read).toEqual(offsets(0, 5));
  });

  test("a signal ends it while a broker says nothing", async () => {
    fill(1);
    const ending = new AbortController();
    log.beforeFetch = () => Promise.withResolvers<void>().promise;
    const hanging = reading(0, 10, { signal: ending.signal });
    await until(() => log.fetches.length === 1, { timeoutMs: 20_000, what: "the fetch" });
    ending.abort();
    await expect(hanging).rejects.toMatchObject({ code: "aborted" });
  });

  test("a signal ends it while brokers are away", async () => {
    log.isReachable = false;
    const ending = new AbortController();
    const waiting = reading(0, 10, { signal: ending.signal });
    await until(() => lines.length > 0, { timeoutMs: 20_000, what: "the outage" });
    ending.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  test("a signal that was aborted before reads nothing", async () => {
    fill(1);
    await expect(reading(0, 10, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    expect(log.fetches).toEqual([]);
  });

  test("closing the way to Kafka ends it", async () => {
    log.isReachable = false;
    const waiting = reading(0, 10);
    await until(() => lines.length > 0, { timeoutMs: 20_000, what: "the outage" });
    closing.abort();
    await expect(waiting).rejects.toMatchObject({ code: "closed", canRetry: false });
    expect(log.connections).toBe(0);
  });
});
