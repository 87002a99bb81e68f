import { describe, expect, test } from "@jest/globals";
import { createConfirmations } from "./confirmations.ts";

/** Looks end when the test says so; time moves by the waits between them. */
function setup() {
  const looks: ReturnType<typeof Promise.withResolvers<void>>[] = [];
  const waits: { ms: number; end(): void }[] = [];
  const connected = new Set<string>();
  const decided: string[] = [];
  const back: string[] = [];
  const notOurs = new Set<string>();
  const errors: unknown[] = [];
  let elapsedMs = 0;
  const confirmations = createConfirmations({
    look() {
      const look = Promise.withResolvers<void>();
      looks.push(look);
      return look.promise;
    },
    host: {
      elapsed: () => elapsedMs,
      delay(ms) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const end = () => {
          elapsedMs += ms;
          resolve();
        };
        waits.push({ ms, end });
        return promise;
      },
    },
    logger: { error: (facts: object) => void errors.push(facts) },
  });
  const wait = (sourceId: string, name: string, partition = 0) =>
    confirmations.wait(sourceId, {
      partition,
      isKept: () => connected.has(sourceId),
      decide: () => !notOurs.has(name) && decided.push(name) > 0,
      giveBack: () => void back.push(name),
    });
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  async function endLook(): Promise<void> {
    looks.at(-1)?.resolve();
    await turns();
  }
  async function endWait(): Promise<void> {
    waits.at(-1)?.end();
    await turns();
  }
  const pass = (ms: number): void => {
    elapsedMs += ms;
  };
  return {
    pass,
    back,
    confirmations,
    connected,
    decided,
    endLook,
    endWait,
    errors,
    looks,
    notOurs,
    turns,
    wait,
    waits,
  };
}

describe("a call without a destination", () => {
  test("is decided by a look that began after it came, one look for all that wait", async () => {
    const { decided, endLook, endWait, looks, wait, waits } = setup();
    wait("s", "a");
    expect([looks.length, decided]).toEqual([1, []]);
    wait("s", "b");
    wait("t", "c");
    await endLook();
    expect(decided).toEqual(["a"]);
    await endWait();
    expect(looks).toHaveLength(2);
    await endLook();
    expect(decided).toEqual(["a", "b", "c"]);
    expect(waits.map(({ ms }) => ms)).toEqual([100, 100]);
  });

  test("causes no more than ten looks a second", async () => {
    const { decided, endLook, endWait, looks, wait } = setup();
    wait("s", "a");
    await endLook();
    for (let index = 0; index < 1_000; index += 1) wait("s", `${index}`);
    expect(looks).toHaveLength(1);
    await endWait();
    await endLook();
    expect([looks.length, decided.length]).toEqual([2, 1_001]);
  });

  test("that comes when all others are decided is looked up as well, and a slow look makes no pause longer", async () => {
    const { decided, endLook, endWait, looks, pass, wait, waits } = setup();
    wait("s", "a");
    pass(30);
    await endLook();
    await endWait();
    expect([looks.length, decided]).toEqual([1, ["a"]]);
    wait("s", "b");
    expect(looks).toHaveLength(2);
    pass(100);
    await endLook();
    expect([decided, waits.map(({ ms }) => ms)]).toEqual([["a", "b"], [70]]);
    wait("s", "c");
    expect(looks).toHaveLength(3);
  });

  test("keeps its place before later calls of its source, and is decided with them when the source is connected", async () => {
    const { confirmations, connected, decided, endLook, wait } = setup();
    wait("s", "a");
    expect([confirmations.has("s"), confirmations.has("t")]).toEqual([true, false]);
    wait("s", "b");
    connected.add("s");
    await endLook();
    expect([decided, confirmations.has("s")]).toEqual([["a", "b"], false]);
  });

  test("is given back, once, when its partition is lost, and others wait on", async () => {
    const { back, confirmations, decided, endLook, endWait, wait } = setup();
    wait("s", "a", 0);
    wait("s", "b", 1);
    wait("t", "c", 0);
    confirmations.revoked([{ partition: 0 }]);
    expect([back, confirmations.has("t")]).toEqual([["a", "c"], false]);
    expect(confirmations.has("s")).toBe(true);
    await endLook();
    expect([decided, back]).toEqual([[], ["a", "c"]]);
    await endWait();
    await endLook();
    expect([decided, back]).toEqual([["b"], ["a", "c"]]);
  });

  test("that is not ours when it is decided is given back with those behind it, which would be before it otherwise", async () => {
    const { back, connected, decided, endLook, notOurs, wait } = setup();
    for (const name of ["a", "b"]) wait("s", name, 0);
    wait("s", "c", 1);
    notOurs.add("a");
    connected.add("s");
    await endLook();
    expect([decided, back]).toEqual([["c"], ["a", "b"]]);
  });

  test("is not dropped by a configuration that can never be read again", async () => {
    const { back, confirmations, decided, errors, looks, turns, wait } = setup();
    wait("s", "a");
    looks[0]?.reject(new Error("closed"));
    await turns();
    expect([decided, errors]).toEqual([[], [{ err: new Error("closed") }]]);
    confirmations.revoked([{ partition: 0 }]);
    expect(back).toEqual(["a"]);
  });

  test("of a partition that was lost does not miss a configuration that ended meanwhile: nothing is said", async () => {
    const { confirmations, errors, looks, turns, wait } = setup();
    wait("s", "a");
    confirmations.revoked([{ partition: 0 }]);
    looks[0]?.reject(new Error("closed"));
    await turns();
    expect(errors).toEqual([]);
  });
});
