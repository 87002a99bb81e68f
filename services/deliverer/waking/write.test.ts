import { expect, test } from "@jest/globals";
import { KafkaError, type OutgoingRecord } from "#kafka";
import { untilWritten, type WriteParts } from "./write.ts";

const RECORD: OutgoingRecord = { topic: "t", key: "k", value: null };

/** Refuses so many times; the process ends before the try `endsAt`. */
function writing(refusals: number, endsAt = Number.POSITIVE_INFINITY) {
  const stopping = new AbortController();
  const pausesMs: number[] = [];
  const refused: [string, number][] = [];
  let tries = 0;
  const parts: WriteParts = {
    async write() {
      tries += 1;
      if (tries >= endsAt) stopping.abort();
      if (tries <= refusals) throw new Error("away");
    },
    refused: (error, failures) => void refused.push([(error as Error).message, failures]),
    host: {
      async delay(ms) {
        pausesMs.push(ms);
      },
    },
    stopping: stopping.signal,
  };
  return { parts, pausesMs, refused, tries: () => tries };
}

test("nothing is written at once", async () => {
  const { parts, tries } = writing(0);
  expect(await untilWritten(parts, [], () => undefined)).toBe(true);
  expect(tries()).toBe(0);
});

test("what is refused is written again, with pauses that grow from 200 ms to ten seconds; its owner hears of it once", async () => {
  const { parts, pausesMs, refused, tries } = writing(8);
  let told = 0;
  const written = await untilWritten(parts, [RECORD], () => {
    told += 1;
  });
  expect([written, tries(), told]).toEqual([true, 9, 1]);
  expect(pausesMs).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  expect(refused).toEqual(pausesMs.map((_, index) => ["away", index + 1]));
});

test("it is given up when the process ends", async () => {
  const { parts, refused, tries } = writing(8, 3);
  let told = 0;
  const written = await untilWritten(parts, [RECORD], () => {
    told += 1;
  });
  expect([written, tries(), told, refused.length]).toEqual([false, 3, 1, 2]);
});

test("it is given up when what it rests on is lost", async () => {
  const { parts, refused } = writing(0);
  const write = () => Promise.reject(new KafkaError("aborted", "lost", { canRetry: false }));
  expect(await untilWritten({ ...parts, write }, [RECORD], () => undefined)).toBe(false);
  expect(refused).toEqual([]);
});
