import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { JoinedQuestions } from "./joined-questions.ts";

function setup(gone: readonly string[] = []) {
  const asked: string[][] = [];
  const questions = new JoinedQuestions<string>(async (keys) => {
    asked.push([...keys]);
    for (const key of keys) if (gone.includes(key)) throw new Error(`${key} is gone`);
    return new Map(keys.map((key) => [key, `of ${key}`]));
  }, systemHost);
  return { ask: (key: string) => questions.ask(key), asked };
}

test("what is asked in one turn is one request, the same question once", async () => {
  const { ask, asked } = setup();
  expect(await Promise.all(["a", "b", "a"].map(ask))).toEqual(["of a", "of b", "of a"]);
  expect(asked).toEqual([["a", "b"]]);
  expect(await ask("a")).toBe("of a");
  expect(asked).toEqual([["a", "b"], ["a"]]);
});

test("a topic that is gone fails its own question alone", async () => {
  const { ask, asked } = setup(["b"]);
  const [a, b, c] = await Promise.allSettled(["a", "b", "c"].map(ask));
  expect([a, c]).toEqual(["a", "c"].map((key) => ({ status: "fulfilled", value: `of ${key}` })));
  expect(b).toMatchObject({ status: "rejected", reason: new Error("b is gone") });
  expect(asked).toEqual([["a", "b", "c"], ["a"], ["b"], ["c"]]);
});
