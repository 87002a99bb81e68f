import { describe, expect, test } from "@jest/globals";
import { createResolver } from "./resolver.ts";

const ADDRESS = { address: "192.0.2.1", family: 4 };

/** A resolver under a clock of the test's own, with the names it was really asked for. */
function setup(answer: (hostname: string) => Promise<(typeof ADDRESS)[]> = async () => [ADDRESS]) {
  const asked: string[] = [];
  const clock = { nowMs: 0 };
  const resolver = createResolver({
    resolve: (hostname) => {
      asked.push(hostname);
      return answer(hostname);
    },
    elapsedMs: () => clock.nowMs,
    ttlMs: 1_000,
  });
  return { asked, clock, resolver };
}

describe("the DNS cache", () => {
  test("asks once for concurrent questions and until the answer is old", async () => {
    const { asked, clock, resolver } = setup();
    await Promise.all([resolver.resolve("a.test"), resolver.resolve("a.test")]);
    clock.nowMs = 999;
    expect(await resolver.resolve("a.test")).toEqual([ADDRESS]);
    expect(asked).toEqual(["a.test"]);
    clock.nowMs = 1_000;
    await resolver.resolve("a.test");
    expect(asked).toEqual(["a.test", "a.test"]);
  });

  test("holds a bounded number of names", async () => {
    const { asked, resolver } = setup();
    for (let name = 0; name <= 10_000; name += 1) await resolver.resolve(`${name}.test`);
    for (const name of ["10000.test", "1.test", "0.test"]) await resolver.resolve(name);
    expect(asked.slice(10_000)).toEqual(["10000.test", "0.test"]);
  });

  test("goes on with a question that is under way when it is told to forget the name: it is asked once", async () => {
    const answer = Promise.withResolvers<(typeof ADDRESS)[]>();
    const { asked, resolver } = setup(() => answer.promise);
    const first = resolver.resolve("a.test");
    resolver.forget("a.test");
    const second = resolver.resolve("a.test");
    expect(asked).toEqual(["a.test"]);
    answer.resolve([ADDRESS]);
    expect(await Promise.all([first, second])).toEqual([[ADDRESS], [ADDRESS]]);
    expect(await resolver.resolve("a.test")).toEqual([ADDRESS]);
    expect(asked).toEqual(["a.test"]);
  });

  test("asks again for a name that it was told to forget", async () => {
    const { asked, resolver } = setup();
    await resolver.resolve("a.test");
    resolver.forget("a.test");
    resolver.forget("unknown.test");
    await resolver.resolve("a.test");
    expect(asked).toEqual(["a.test", "a.test"]);
  });
});
