import { expect, test } from "@jest/globals";
import type { ResolvedAddress } from "./resolver.ts";
import { createSerialLookup } from "./serial-lookup.ts";

interface Question {
  readonly hostname: string;
  answer(addresses: readonly ResolvedAddress[]): void;
  fail(error: Error): void;
}

/** Serial lookups that the test itself ends. */
function setup(maxWaiting: number) {
  const questions: Question[] = [];
  const resolve = createSerialLookup({
    maxWaiting,
    lookup: (hostname) =>
      new Promise((answer, fail) => {
        questions.push({ hostname, answer, fail });
      }),
  });
  return { questions, resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("one name is looked up at a time, in the order they came, whatever became of the one before", async () => {
  const { questions, resolve } = setup(10);
  const [first, second] = [resolve("a"), resolve("b")];
  await settled();
  expect(questions.map(({ hostname }) => hostname)).toEqual(["a"]);
  questions[0]?.fail(new Error("no such name"));
  await expect(first).rejects.toThrow("no such name");
  await settled();
  questions[1]?.answer([{ address: "192.0.2.1", family: 4 }]);
  expect(await second).toHaveLength(1);
});

test("a name fails at once when too many wait before it, and the place is free again later", async () => {
  const { questions, resolve } = setup(2);
  const waiting = [resolve("a"), resolve("b")];
  await expect(resolve("c")).rejects.toMatchObject({ code: "NAME_NOT_RESOLVED" });
  await settled();
  waiting.push(resolve("d"));
  for (let index = 0; index < 3; index += 1) {
    await settled();
    questions[index]?.answer([]);
  }
  expect(await Promise.all(waiting)).toEqual([[], [], []]);
});
