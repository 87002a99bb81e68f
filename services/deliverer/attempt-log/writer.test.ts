import { describe, expect, test } from "@jest/globals";
import { RETRY_DELAYS_MS } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type DeliveryAttempt, type DeliveryTotal, NO_DETAILS, topicMap } from "#topics";
import { job, START_MS } from "../fixtures/jobs.ts";
import type { WebhookResult } from "../outcomes.ts";
import { createAttemptWriter, type RecordKind } from "./writer.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: RETRY_DELAYS_MS });

const FAILED: WebhookResult = {
  url: "https://a.test/hook",
  outcome: { kind: "retryable", reason: "http_5xx", status: 503 },
  message: "HTTP 503",
  startedAtMs: START_MS,
  durationMs: 12.6,
};

function bench() {
  const sent: OutgoingRecord[][] = [];
  const values: (DeliveryAttempt | DeliveryTotal)[] = [];
  const dropped: [RecordKind, number][] = [];
  const producer = {
    backlog: { bytes: 0, records: 0, oldestElapsedMs: undefined },
    send: async (records: readonly OutgoingRecord[]) => void sent.push([...records]),
  };
  const encode: Serde["encode"] = (_topic, value) => {
    values.push(value as DeliveryAttempt);
    return Buffer.alloc(1);
  };
  const writer = createAttemptWriter({
    topics,
    serde: { encode },
    producer,
    writerId: "w",
    onDropped: (kind, count) => void dropped.push([kind, count]),
    bounds: { batchRecords: 3, backlogBytes: 100 },
  });
  return { dropped, producer, sent, values, writer };
}

const TOTAL = {
  ...{ destinationId: "d1", sourceId: "s1", url: FAILED.url, minuteMs: START_MS },
  ...{ outcomes: { success: 1 }, statuses: { 200: 1 }, durationCounts: [1], latencyCounts: [1] },
};

describe("the writer of attempts", () => {
  test("says of a request what happened, and never its body", () => {
    const { values, writer } = bench();
    writer.attempt(job({ attempts: 2, replayId: "rpl_1" }), FAILED, 7);
    expect(values).toEqual([
      {
        writer: "w",
        sequence: 1,
        destinationId: "d1",
        jobId: "job-1",
        messageId: "m1",
        sourceId: "s1",
        userId: "u1",
        anonymousId: null,
        type: "track",
        url: "https://a.test/hook",
        attempt: 3,
        outcome: "http_5xx",
        retryable: true,
        status: 503,
        message: "HTTP 503",
        startedAtMs: START_MS,
        durationMs: 13,
        replayId: "rpl_1",
        suppressed: 7,
        ...NO_DETAILS,
      },
    ]);
  });

  test("says what is known of its response and its connection", () => {
    const { values, writer } = bench();
    const details = { ...NO_DETAILS, responseBody: "no room", address: "192.0.2.1", waitMs: 12 };
    writer.attempt(job(), { ...FAILED, details: () => details }, 0);
    expect(values).toEqual([expect.objectContaining(details)]);
  });

  test("gathers records until they are sent, or are many; all are numbered", () => {
    const { sent, values, writer } = bench();
    for (let count = 0; count < 4; count += 1) writer.attempt(job(), FAILED, 0);
    writer.total(TOTAL);
    expect(sent.map((records) => records.length)).toEqual([3]);
    writer.send();
    writer.send();
    expect(sent.map((records) => records.map(({ topic, key }) => [topic, key]))).toEqual([
      Array.from({ length: 3 }, () => ["delivery-attempts", "d1"]),
      [["delivery-attempts", "d1"]],
      [["delivery-totals", "d1"]],
    ]);
    expect(values.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  test("drops and counts what Kafka does not take, attempts before totals", async () => {
    const { dropped, producer, sent, writer } = bench();
    producer.backlog.bytes = 100;
    writer.attempt(job(), FAILED, 0);
    writer.total(TOTAL);
    producer.backlog.bytes = 200;
    writer.total(TOTAL);
    expect(dropped).toEqual([
      ["attempt", 1],
      ["total", 1],
    ]);
    producer.send = () => Promise.reject(new Error("refused"));
    writer.send();
    await new Promise(setImmediate);
    expect(dropped.at(-1)).toEqual(["total", 1]);
    expect(sent).toEqual([]);
  });
});
