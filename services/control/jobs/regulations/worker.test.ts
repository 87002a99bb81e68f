// The durable steps of a regulation are held in memory; the process may end before and after each of them.
import { describe, expect, test } from "@jest/globals";
import { deletionMessageId } from "#contract";
import type { OutgoingRecord } from "#kafka";
import type { Regulation } from "#topics";
import { regulation, START_MS } from "../../resources/regulations/fixtures/regulation.ts";
import { hasEnded, IN_FORCE_MS } from "../../resources/regulations/regulation.ts";
import { type RegulationWork, workOn } from "./worker.ts";

/** The log, and time that passes by pauses alone. A step that is one too many ends the process: before it is durable, or after. */
function world(begun: Regulation, destinations = [{ enabled: true, sourceIds: ["s1", "s2"] }]) {
  const log: string[] = [];
  const pauses: number[] = [];
  const state = { stored: begun, nowMs: START_MS + 10, destinations, olderAreWritten: true, isLost: false };
  const death = { steps: Number.POSITIVE_INFINITY, isDurable: false };
  async function durable(act: () => void): Promise<void> {
    if (death.steps === 0 && !death.isDurable) throw new Error("the process has ended");
    act();
    if (death.steps === 0) throw new Error("the process has ended");
    death.steps -= 1;
  }
  const name = ({ key, value }: OutgoingRecord): string => `${value?.toString() ?? "none"} ${key}`;
  const record = (key: string, value: string | null) => ({
    topic: "t",
    key,
    value: value === null ? null : Buffer.from(value),
  });
  const work: RegulationWork = {
    store: {
      get: () => state.stored,
      async untilOlderAreWritten(_, signal) {
        signal.throwIfAborted();
        if (!state.olderAreWritten) throw new Error("it would wait");
      },
    },
    replace: ({ before, after }) =>
      durable(() => {
        if (before !== state.stored) throw new Error("another process has gone on");
        const isTerm =
          `${after.writerId} ${after.writerEpoch}` !== `${before?.writerId} ${before?.writerEpoch}`;
        state.stored = after;
        log.push(isTerm ? "term" : `record ${after.state}`);
      }),
    records: {
      suppression: (_, userId) => [record(userId, "suppress")],
      stateDeletion: (_, userId) => [record(userId, "forget")],
      notification: ({ id }, sourceId, userId) =>
        record(userId, deletionMessageId({ regulationId: id, sourceId, userId })),
    },
    async lookAtSuppressions() {
      if (state.isLost) throw new Error("they are lost");
    },
    nextTerm: async (before) => ({ id: "7", epoch: before === undefined ? 0 : before.epoch + 1 }),
    writerIn: ({ epoch, id }) => ({
      send: (records) =>
        durable(() => {
          const { writerEpoch, writerId } = state.stored;
          if (writerId !== id || writerEpoch !== epoch) throw new Error("its record does not say the term");
          log.push(...records.map(name));
        }),
    }),
    write: (records) => durable(() => void log.push(...records.map(name))),
    isConnected: (id) =>
      state.destinations.some(({ enabled, sourceIds }) => enabled && sourceIds.includes(id)),
    pace: { stepCalls: 1, turn: async () => undefined },
    onWritten: () => undefined,
    host: {
      elapsed: () => state.nowMs,
      async delay(ms) {
        pauses.push(ms);
        state.nowMs += ms;
      },
    },
    nowMs: () => state.nowMs,
  };
  const ending = new AbortController();
  const run = () => workOn("reg_1", work, ending.signal);
  return { death, ending, log, pauses, run, state, work };
}

const idOf = (sourceId: string, userId: string) =>
  `${deletionMessageId({ regulationId: "reg_1", sourceId, userId })} ${userId}`;

const NOTIFICATIONS = [idOf("s1", "u1"), idOf("s1", "u2"), idOf("s2", "u1"), idOf("s2", "u2")];

describe("work on a regulation (contract 5.1, 5.2)", () => {
  test("suppresses, waits until that is in force, then notifies of each user for each source, and forgets the ids", async () => {
    const { log, pauses, run, state } = world(regulation({}, "SUPPRESS_WITH_DELETE"));
    await run();
    expect(log).toEqual([
      ...["term", "suppress u1", "suppress u2", "record running", "forget u1", "forget u2", "record running"],
      ...NOTIFICATIONS,
      "record finished",
    ]);
    expect(pauses).toEqual([IN_FORCE_MS]);
    expect(state.stored).toMatchObject({
      subjectIds: [],
      subjectCount: 2,
      notified: 4,
      deletedAtMs: START_MS + 10 + IN_FORCE_MS,
    });
    expect(state.stored.subjectHashes).toHaveLength(32);
  });

  test("suppresses nobody while the topic has lost its suppressions: one of them would make it look whole", async () => {
    const { log, run, state } = world(regulation({}, "SUPPRESS_ONLY"));
    state.isLost = true;
    await expect(run()).rejects.toThrow("they are lost");
    expect(log).toEqual([]);
    state.isLost = false;
    await run();
    expect(log.slice(0, 4)).toEqual(["term", "suppress u1", "suppress u2", "record running"]);
  });

  test("of a deletion alone suppresses nobody and waits for nothing; it took place when it was asked for", async () => {
    const { log, pauses, run, state } = world(regulation());
    await run();
    const forgotten = ["term", "forget u1", "forget u2", "record running"];
    expect(log).toEqual([...forgotten, ...NOTIFICATIONS, "record finished"]);
    expect([pauses, state.stored.deletedAtMs]).toEqual([[], START_MS]);
  });

  test.each(["SUPPRESS_ONLY", "UNSUPPRESS"] as const)(
    "of %s notifies nobody, and keeps no hash",
    async (type) => {
      const { log, run, state } = world(regulation({}, type));
      await run();
      expect(log).toEqual(["term", "suppress u1", "suppress u2", "record running", "record finished"]);
      expect([state.stored.subjectHashes.length, state.stored.deletedAtMs]).toEqual([0, null]);
    },
  );

  test("writes no suppression before those of older regulations are written", async () => {
    const { log, run, state } = world(regulation({}, "UNSUPPRESS"));
    state.olderAreWritten = false;
    await expect(run()).rejects.toThrow("it would wait");
    expect(log).toEqual([]);
  });

  test("says that a source has failed when it has no enabled destination any more, and goes on with the next", async () => {
    const { log, run, state } = world(regulation(), [
      { enabled: false, sourceIds: ["s1"] },
      { enabled: true, sourceIds: ["s2"] },
    ]);
    await run();
    expect(log.filter((line) => NOTIFICATIONS.includes(line))).toEqual(NOTIFICATIONS.slice(2));
    expect(state.stored).toMatchObject({ state: "failed", failedSourceIds: ["s1"], notified: 2 });
  });

  test("that another process goes on with meanwhile is left to it: receivers hear of one moment", async () => {
    const bench = world(regulation({}, "SUPPRESS_WITH_DELETE"));
    const theirs = { ...bench.state.stored, isSuppressionDone: true, deletedAtMs: START_MS + 7 };
    const writerIn: RegulationWork["writerIn"] = (term) => ({
      async send(records) {
        await bench.work.writerIn(term).send(records);
        bench.state.stored = theirs;
      },
    });
    await expect(workOn("reg_1", { ...bench.work, writerIn }, bench.ending.signal)).rejects.toThrow(
      "another process has gone on",
    );
    expect([bench.state.stored, bench.log]).toEqual([theirs, ["term", "suppress u1", "suppress u2"]]);
  });

  test("of one that has ended, or is gone, does nothing", async () => {
    for (const stored of [regulation({ state: "finished" }), undefined]) {
      const bench = world(regulation());
      bench.state.stored = stored as Regulation;
      await bench.run();
      expect(bench.log).toEqual([]);
    }
  });

  const notifying = { state: "running", isStateDone: true } as const;

  test("writes how far it is every few seconds", async () => {
    const bench = world(regulation({ ...notifying, subjectIds: ["u1", "u2", "u3"], sourceIds: ["s1"] }));
    const turn = async () => {
      bench.state.nowMs += 3_000;
    };
    await workOn("reg_1", { ...bench.work, pace: { stepCalls: 1, turn } }, bench.ending.signal);
    const [first = "", second = "", third = ""] = ["u1", "u2", "u3"].map((user) => idOf("s1", user));
    expect(bench.log).toEqual([first, second, "record running", third, "record finished"]);
  });

  test("writes at its hand-over how far it came, so that the next owner repeats nothing", async () => {
    const bench = world(regulation(notifying));
    const turn = async () => void (bench.log.length === 2 && bench.ending.abort());
    await workOn("reg_1", { ...bench.work, pace: { stepCalls: 1, turn } }, bench.ending.signal);
    expect(bench.log).toEqual([...NOTIFICATIONS.slice(0, 3), "record running"]);
    expect(bench.state.stored).toMatchObject({
      state: "running",
      notified: 3,
      sourcesDone: 1,
      subjectsDone: 1,
    });
    await workOn("reg_1", bench.work, new AbortController().signal);
    expect(bench.log.slice(4)).toEqual([NOTIFICATIONS[3], "record finished"]);
  });

  test.each([false, true])(
    "that dies at any step is done by the next owner, under the same ids (the step was durable: %s)",
    async (isDurable) => {
      const type = "SUPPRESS_WITH_DELETE";
      const whole = world(regulation({}, type));
      await whole.run();
      const steps = 5 + NOTIFICATIONS.length + 1;
      for (let step = 0; step < steps; step += 1) {
        const bench = world(regulation({}, type));
        Object.assign(bench.death, { steps: step, isDurable });
        await expect(bench.run()).rejects.toThrow("the process has ended");
        bench.death.steps = Number.POSITIVE_INFINITY;
        await bench.run();
        expect(new Set(bench.log)).toEqual(new Set(whole.log));
        expect(hasEnded(bench.state.stored)).toBe(true);
        // Each owner that writes has a term of its own.
        expect(bench.state.stored.writerEpoch).toBe(bench.log.filter((line) => line === "term").length - 1);
        const first = bench.log.findIndex((line) => NOTIFICATIONS.includes(line));
        expect(bench.log.slice(first).filter((line) => line.startsWith("suppress"))).toEqual([]);
      }
    },
  );
});
