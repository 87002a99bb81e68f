import { describe, expect, test } from "@jest/globals";
import { type Host, systemHost } from "#host";
import { until } from "#support/until";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record } from "../fixtures/stub-session.ts";
import type { Claim, Settle } from "../runner-types.ts";
import type { OutgoingRecord } from "../types.ts";
import { hold, received } from "./held.ts";
import { type SettlementParts, settleRecord } from "./settlement.ts";

const next: OutgoingRecord = { topic: "next", key: "k", value: null };

interface Bench {
  readonly written: OutgoingRecord[];
  readonly log: ReturnType<typeof recordingLogger>["lines"];
  readonly done: () => number;
  readonly givenBack: () => number;
}

function run(
  step: (settle: Settle, claim: Claim) => void,
  work: Partial<SettlementParts<string>["work"]> = {},
  host: Host = systemHost,
): Bench {
  const { logger, lines } = recordingLogger();
  const written: OutgoingRecord[] = [];
  let done = 0;
  let givenBack = 0;
  const raw = record(0, 7);
  const held = { ...hold<string>(raw), received: received(raw, "decoded") };
  settleRecord(
    held,
    { isOurs: true, isHeld: true },
    {
      logger,
      host,
      work: {
        step: (_, settle, claim) => step(settle, claim),
        deadLetter: (_, error) => [{ topic: "dead", key: error.message, value: null }],
        write: async (records) => void written.push(...records),
        ...work,
      },
      onWriting: () => undefined,
      onWritten: () => undefined,
      onDone: () => {
        done += 1;
      },
      onGivenBack: () => {
        givenBack += 1;
      },
    },
  );
  return { written, log: lines, done: () => done, givenBack: () => givenBack };
}

function soon(condition: () => boolean, what: string): Promise<unknown> {
  return until(condition, { timeoutMs: 30_000, what, pollMs: 2 });
}

describe("settlement", () => {
  test("a record that is given back is not done, and cannot be settled any more", () => {
    const bench = run((settle, claim) => {
      claim.giveBack();
      settle({ produce: [] });
      claim.giveBack();
    });
    expect([bench.done(), bench.givenBack()]).toEqual([0, 1]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error", "error"]);
  });

  const lost = async (): Promise<void> => {
    throw new KafkaError("aborted", "the partition is lost", { canRetry: false });
  };

  test("a record is given back when its partition is lost before what it becomes is written", async () => {
    const bench = run((settle) => settle({ produce: [next] }), { write: lost });
    await soon(() => bench.givenBack() === 1, "the record");
    expect([bench.done(), bench.log]).toEqual([0, []]);
  });

  test("and by its step, where that holds more than the record", async () => {
    const steps: string[] = [];
    const bench = run(
      (settle, claim) => {
        const giveBack = (): void => {
          steps.push("let go");
          claim.giveBack();
        };
        settle({ produce: [next], onDurable: () => void steps.push("durable"), giveBack });
      },
      { write: lost },
    );
    await soon(() => bench.givenBack() === 1, "the record");
    expect([steps, bench.done(), bench.log]).toEqual([["let go"], 0, []]);
  });

  test("a record that becomes nothing is done at once", () => {
    const bench = run((settle) => settle({ produce: [] }));
    expect(bench.done()).toBe(1);
  });

  test("a record is done after what it becomes is written, not before", async () => {
    const bench = run((settle) => settle({ produce: [next] }));
    expect(bench.done()).toBe(0);
    await soon(() => bench.done() === 1, "the record's end");
    expect(bench.written).toEqual([next]);
  });

  test("what says that others are there is written when they are, and only then the record is done", async () => {
    const written: (string | undefined)[] = [];
    const others = Promise.withResolvers<void>();
    const bench = run((settle) => settle({ produce: [next], produceAfter: { ...next, topic: "after" } }), {
      async write([record]) {
        if (record?.topic === "next") await others.promise;
        written.push(record?.topic);
      },
    });
    await new Promise(setImmediate);
    expect([written, bench.done()]).toEqual([[], 0]);
    others.resolve();
    await soon(() => bench.done() === 1, "the record's end");
    expect(written).toEqual(["next", "after"]);
  });

  test("a step that throws three times makes its record a dead letter, with one error line", async () => {
    let tries = 0;
    const bench = run(() => {
      tries += 1;
      throw new Error(`bug ${tries}`);
    });
    await soon(() => bench.done() === 1, "the record's end");
    expect(tries).toBe(3);
    expect(bench.written).toEqual([{ topic: "dead", key: "bug 3", value: null }]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
  });

  test("a step that throws once and then settles is nothing special", () => {
    let tries = 0;
    const bench = run((settle) => {
      tries += 1;
      if (tries === 1) throw new Error("passing");
      settle({ produce: [] });
    });
    expect(bench.done()).toBe(1);
    expect(bench.log).toEqual([]);
  });

  test("a step that throws after it has settled is settled, its bug is logged, and nothing becomes a dead letter", async () => {
    const bench = run((settle) => {
      settle({ produce: [next] });
      throw new Error("late");
    });
    await soon(() => bench.done() > 0, "the record's end");
    await new Promise(setImmediate);
    expect([bench.done(), bench.written]).toEqual([1, [next]]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
  });

  test("a second settling changes nothing and is logged", () => {
    const bench = run((settle) => {
      settle({ produce: [] });
      settle({ produce: [next] });
    });
    expect(bench.done()).toBe(1);
    expect(bench.written).toEqual([]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
  });

  test("its owner hears of the end when it is durable, and its owner's bug changes nothing", async () => {
    const writing = Promise.withResolvers<void>();
    let heard = 0;
    const onDurable = (): void => {
      heard += 1;
      throw new Error("bug");
    };
    const bench = run((settle) => settle({ produce: [next], onDurable }), { write: () => writing.promise });
    expect(heard).toBe(0);
    writing.resolve();
    await soon(() => bench.done() === 1, "the record's end");
    expect(heard).toBe(1);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
  });

  test("what cannot be written is tried again until it can; meanwhile the record is not done", async () => {
    let tries = 0;
    const write = async (): Promise<void> => {
      tries += 1;
      if (tries < 3) throw new Error("no broker");
    };
    const bench = run((settle) => settle({ produce: [next] }), { write });
    await soon(() => tries >= 1, "the first try");
    expect(bench.done()).toBe(0);
    await soon(() => bench.done() === 1, "the record's end");
    expect(tries).toBe(3);
  });

  test("a record whose step throws is a dead letter with what it was decoded to", () => {
    const decoded: unknown[] = [];
    const deadLetter = (failed: object): OutgoingRecord[] => {
      decoded.push("decoded" in failed ? failed.decoded : "nothing");
      return [];
    };
    const bench = run(
      () => {
        throw new Error("bug");
      },
      { deadLetter },
    );
    expect([bench.done(), decoded]).toEqual([1, ["decoded"]]);
  });

  test("a dead letter that cannot be made is tried again and never dropped", async () => {
    let tries = 0;
    const deadLetter = (): OutgoingRecord[] => {
      tries += 1;
      if (tries === 1) throw new Error("bug in the dead letter");
      return [next];
    };
    const bench = run(
      () => {
        throw new Error("bug");
      },
      { deadLetter },
    );
    await soon(() => bench.done() === 1, "the record's end");
    expect(bench.written).toEqual([next]);
  });

  test("what a closed producer does not take is neither tried again nor said for each record", async () => {
    const host = new TestHost();
    let tries = 0;
    const write = async (): Promise<void> => {
      tries += 1;
      throw new KafkaError("closed", "the producer is closed", { canRetry: false });
    };
    const bench = run((settle) => settle({ produce: [next] }), { write }, host);
    await host.advance(60_000);
    expect([tries, bench.done(), bench.log]).toEqual([1, 0, []]);
  });

  test("what cannot be written is said, with its place, at the first failure, the second, the fourth", async () => {
    const host = new TestHost();
    let tries = 0;
    const write = async (): Promise<void> => {
      tries += 1;
      if (tries <= 5) throw new Error("away");
    };
    const bench = run((settle) => settle({ produce: [next] }), { write }, host);
    await host.advance(60_000);
    expect([tries, bench.done()]).toEqual([6, 1]);
    const facts = { topic: "t", partition: 0, offset: 7, error: "away" };
    expect(bench.log).toEqual(
      [1, 2, 4].map((failures) => ({
        level: "error",
        fields: { ...facts, failures },
        message: expect.stringContaining("could not be written"),
      })),
    );
  });
});
