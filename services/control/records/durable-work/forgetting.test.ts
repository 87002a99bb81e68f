import { expect, test } from "@jest/globals";
import { topicMap } from "#topics";
import { forgetEnded } from "./forgetting.ts";

const NOW_MS = Date.UTC(2026, 0, 31);
const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });

test("what has ended is forgotten with the dead letters that it was made of, once an hour; a refusal is said", async () => {
  const { cleanup } = topics.deadLetters;
  const beforeMs = NOW_MS - (cleanup.policy === "delete" ? cleanup.retentionMs : 0);
  const all = [
    { id: "old", state: "finished", updatedAtMs: beforeMs - 1 },
    { id: "runs", state: "running", updatedAtMs: beforeMs - 1 },
    { id: "cancelled", state: "cancelled", updatedAtMs: beforeMs - 1 },
    { id: "young", state: "finished", updatedAtMs: beforeMs },
  ];
  const intervals: { readonly work: () => void; readonly everyMs: number }[] = [];
  const [removed, said]: [(readonly string[])[], string[]] = [[], []];
  const context = {
    host: { setInterval: (work: () => void, everyMs: number) => intervals.push({ work, everyMs }) },
    lifecycle: { onStop: () => undefined },
    logger: { warn: (_: object, message: string) => void said.push(message) },
    nowMs: () => NOW_MS,
  };
  const store = {
    list: () => all,
    async remove(ids: readonly string[]) {
      removed.push(ids);
      if (removed.length > 1) throw new Error("refused");
    },
  };
  const hasEnded = ({ state }: { readonly state: string }) => state !== "running";
  forgetEnded(context as never, topics, { what: "replays", store, hasEnded });
  expect(intervals.map(({ everyMs }) => everyMs)).toEqual([3_600_000]);
  for (const _ of [1, 2]) {
    for (const { work } of intervals) work();
    await new Promise(setImmediate);
  }
  expect(removed).toEqual([
    ["old", "cancelled"],
    ["old", "cancelled"],
  ]);
  expect(said).toEqual(["old replays are not forgotten yet"]);
});
