// A workspace of many sources, on real Kafka: a regulation has their ids in its one record, which the broker bounds.
import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { until } from "#support/until";
import { control, useControl } from "#support/use-control";
import { openWire, type Wire } from "#support/wire";
import { regulation } from "./fixtures/regulation.ts";

const SOURCES = 100_000;
const USERS = 5_000;

let wire: Wire;

useControl({}, async ({ stack, topics }) => {
  wire = openWire(stack, [topics.regulations]);
  await wire.serde.start();
  return wire;
});

/** It has ended and keeps its users: nobody works on it, and its record has all that one may have. */
function large(id: string, sources = SOURCES) {
  const sourceIds = Array.from({ length: sources }, () => `src_${randomBytes(8).toString("hex")}`).sort();
  const subjectIds = Array.from({ length: USERS }, () => randomUUID());
  const failedSourceIds = sourceIds.slice(0, 10);
  return regulation({ id, sourceIds, subjectIds, failedSourceIds, state: "failed", updatedAtMs: Date.now() });
}

test("of 5,000 users and 100,000 sources fits into a record, and a list has as few of them on a page as fit", async () => {
  const ids = ["reg_a", "reg_b"];
  await wire.write(control.topics.regulations, ...ids.map((id) => [id, large(id)] as const));
  const listed = async (query: string) => (await control.ask(`/v1/regulations${query}`)).body;
  await until(async () => (await listed("?limit=1")).total === 2, {
    timeoutMs: 30_000,
    what: "both to be read",
  });
  const first = await listed("");
  expect([first.data.length, first.data[0].sources.length]).toEqual([1, SOURCES]);
  const second = await listed(`?after=${first.next}`);
  expect([second.data.map(({ id }: { id: string }) => id), second.next]).toEqual([["reg_b"], null]);
  const failed = second.data[0].sources.filter(({ status }: { status: string }) => status === "failed");
  expect(failed).toHaveLength(10);
}, 180_000);
