import { expect, test } from "@jest/globals";
import type { Received, Step } from "#kafka";
import { createMetrics } from "#runtime";
import { deadLetter } from "#support/records";
import type { DeadLetter } from "#topics";
import { topicMap } from "#topics";
import type { OwnedWork } from "../../records/durable-work/owned-work.ts";
import { DeadLetterCounts } from "./dead-letter-counts.ts";
import { takePart } from "./share.ts";

const HOUR_MS = 3_600_000;
const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });

/** The step of the runner, with what it reported; nothing is read from Kafka. */
function setup() {
  const clock = { nowMs: 100 * HOUR_MS, elapsedMs: 0 };
  const told: string[] = [];
  const done: number[] = [];
  let step: Step<DeadLetter> | undefined;
  const ownedWork: Pick<OwnedWork, "add"> = {
    add(share) {
      step = share.step as Step<DeadLetter>;
    },
  };
  const counts = new DeadLetterCounts((id, _, first) => {
    told.push(id);
    first.done();
  });
  takePart({
    ownedWork,
    topics,
    serde: {} as never,
    keeper: {} as never,
    counts,
    readBack: async () => undefined,
    logger: {} as never,
    metrics: createMetrics({ service: "test", version: "0" }),
    host: { elapsed: () => clock.elapsedMs },
    nowMs: () => clock.nowMs,
  });
  function died(destinationId: string | null, ageMs: number): void {
    const decoded = deadLetter({ destinationId, deadAtMs: 100 * HOUR_MS - ageMs });
    const offset = done.length;
    const raw = { topic: "dead-letters", partition: 0, offset, key: null, value: null, timestampMs: 0 };
    const record: Received<DeadLetter> = { ...raw, decoded };
    step?.(record, () => void done.push(offset), { isOurs: true, giveBack: () => undefined });
  }
  return { clock, counts, died, done, told };
}

test("a dead letter of more than four hours ago is history and reported to nobody (contract 3.5)", () => {
  const { died, done, told } = setup();
  died("old", 4 * HOUR_MS + 1);
  died("just", 4 * HOUR_MS);
  died("new", 0);
  expect([told, done]).toEqual([
    ["just", "new"],
    [0, 1, 2],
  ]);
});

test("a dead letter of no destination is reported to nobody", () => {
  const { died, done, told } = setup();
  died(null, 0);
  expect([told, done]).toEqual([[], [0]]);
});

test("a clock that was an hour ahead holds no dead letter for longer than the minute", () => {
  const { clock, counts, died, done, told } = setup();
  clock.nowMs += HOUR_MS;
  died("d", 0);
  clock.nowMs -= HOUR_MS;
  died("d", 0);
  expect([told, done]).toEqual([["d"], [0]]);
  clock.nowMs += 60_000;
  clock.elapsedMs += 60_000;
  counts.tick(clock.elapsedMs);
  expect([told, done]).toEqual([
    ["d", "d"],
    [0, 1],
  ]);
});
