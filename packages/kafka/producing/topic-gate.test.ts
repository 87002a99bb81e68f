import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import type { Delivery } from "./accumulator.ts";
import { TopicGate } from "./topic-gate.ts";

let host: TestHost;
/** Whether the topic's partitions are known, and whether they can be had. */
let isKnown: boolean;
let isThere: boolean;
let asked: number;
/** Keys of what was let through. */
let opened: (string | null)[];
let gate: TopicGate;
let lines: ReturnType<typeof recordingLogger>["lines"];

beforeEach(() => {
  host = new TestHost();
  [isKnown, isThere, asked, opened] = [false, false, 0, []];
  const recording = recordingLogger();
  ({ lines } = recording);
  gate = new TopicGate({
    host,
    logger: recording.logger,
    onOpen: ({ key }) => void opened.push(key),
    metadata: {
      partitionCount: () => (isKnown ? 3 : undefined),
      async fetch() {
        asked += 1;
        if (!isThere) throw new KafkaError("unknown_topic", "not yet", { canRetry: true });
        isKnown = true;
      },
    },
  });
});

/** Passes a record; returns its call of `send`. */
function pass(key: string): Delivery {
  const delivery: Delivery = {
    settled: false,
    remaining: 1,
    queuedElapsedMs: 0,
    deadlineElapsedMs: Number.POSITIVE_INFINITY,
    hold: undefined,
    resolve: () => undefined,
    reject: () => undefined,
  };
  gate.pass({ topic: "t", key, value: null }, delivery);
  return delivery;
}

describe("the gate before a topic's partitions are known", () => {
  test("what is waited for is said at the first failure, the second, the fourth", async () => {
    pass("a");
    for (let count = 0; asked < 5 && count < 100; count += 1) await host.advance(500);
    const said = [1, 2, 4].map((failures) => ({
      level: "warn",
      fields: { topic: "t", failures },
      message: "partitions are not known yet: not yet",
    }));
    expect(lines).toEqual(said);
  });

  test("records wait, in order, until they are; then they pass at once", async () => {
    for (const key of ["a", "b"]) pass(key);
    await host.advance(500);
    expect(opened).toEqual([]);
    isThere = true;
    pass("c");
    await host.advance(2_000);
    expect(opened).toEqual(["a", "b", "c"]);
    const before = asked;
    pass("d");
    expect([opened.at(-1), asked]).toEqual(["d", before]);
  });

  test("a record whose call has failed meanwhile is not let through, its neighbours are", async () => {
    const [, failed] = ["a", "b", "c"].map(pass);
    await host.advance(0);
    if (failed !== undefined) failed.settled = true;
    isThere = true;
    await host.advance(2_000);
    expect(opened).toEqual(["a", "c"]);
  });

  test("what calls had to write that have failed is not kept while others wait", async () => {
    let looks = 0;
    const settled = (): boolean => {
      looks += 1;
      return true;
    };
    const failed = Object.defineProperty(pass("a"), "settled", { get: settled });
    pass("b");
    await host.advance(60_000);
    expect([asked > 10, failed.settled, looks]).toEqual([true, true, 2]);
  });

  test("nobody asks any more when every call has failed, and again when the next one comes", async () => {
    const delivery = pass("a");
    await host.advance(0);
    delivery.settled = true;
    await host.advance(5_000);
    const before = asked;
    await host.advance(60_000);
    expect(asked).toBe(before);
    isThere = true;
    pass("b");
    await host.advance(0);
    expect(opened).toEqual(["b"]);
  });

  test("a closed gate asks no more", async () => {
    pass("a");
    await host.advance(0);
    gate.close();
    const before = asked;
    await host.advance(60_000);
    expect(asked).toBe(before);
  });
});
