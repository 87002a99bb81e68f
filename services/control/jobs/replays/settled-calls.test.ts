import { describe, expect, test } from "@jest/globals";
import { job as jobRecord } from "#support/records";
import type { DeliveryJob, ReplayedCalls } from "#topics";
import type { FoundJob, WaitingReader } from "../../deliveries/waiting/reader.ts";
import { replay, replayedCalls } from "../../records/replays/fixtures/replay.ts";
import { type CallReplay, CannotGoOn } from "./call-selection.ts";
import { findSettled } from "./settled-calls.ts";

const SPOT = { partition: 0, offset: 4, timestampMs: 1 };
const job = (jobId: string, changes: Partial<DeliveryJob> = {}) => jobRecord({ jobId, ...changes });

function setup(waitingJobs: readonly DeliveryJob[] = [], calls: Partial<ReplayedCalls> = {}) {
  const looks: string[] = [];
  const world = { isDamaged: false };
  const waiting: WaitingReader = {
    async scan({ onJob }) {
      looks.push("what waits");
      for (const at of waitingJobs.keys()) await onJob({ topicName: `${at}` } as FoundJob);
      return undefined;
    },
    decode: async ({ topicName: at }) => waitingJobs[Number(at)] as DeliveryJob,
  };
  const found = findSettled(
    {
      admin: {
        async committedPlaces() {
          looks.push("committed");
          return new Map([[0, { offset: 5, isDone: ({ offset }) => offset === 7 }]]);
        },
      },
      topicName: "jobs",
      groupId: "deliverers",
      waiting,
      index: {
        findDeadLetter(id, user) {
          looks.push("look");
          return !world.isDamaged && id === "died" && user?.userId === "u1" ? ({ id } as never) : undefined;
        },
      },
      progress: {
        async untilCovers(_, ends) {
          looks.push(`indexed up to ${ends.join()}`);
          await new Promise(setImmediate);
          return looks.length > 4 && !world.isDamaged;
        },
      },
      maxWaiting: 2,
      async deadLetterEnds() {
        looks.push("what has died");
        return [7];
      },
    },
    { ...replay({ ends: [] }), calls: replayedCalls(calls) } as CallReplay,
    new AbortController().signal,
  );
  return { found, looks, world };
}

describe("what has become of a call", () => {
  test("is looked at in the order in which it is written", async () => {
    const { found, looks } = setup();
    await (await found).became(job("a"), SPOT);
    const indexed = "indexed up to 7";
    const before = ["committed", "what waits", "what has died"];
    expect(looks).toEqual([...before, indexed, indexed, "look", indexed]);
  });

  test("is that it is pending until its job is done, and while it waits", async () => {
    const settled = await setup([job("waits")]).found;
    expect(await settled.became(job("a"), { ...SPOT, offset: 5 })).toBe("pending");
    expect(await settled.became(job("a"), { ...SPOT, partition: 1, offset: 0 })).toBe("pending");
    // Done while the commit waits for one before it.
    expect(await settled.became(job("a"), { ...SPOT, offset: 7 })).toBe("delivered");
    expect(await settled.became(job("waits"), SPOT)).toBe("pending");
    expect(await settled.became(job("died"), SPOT)).toBe("dead");
    expect(await settled.became({ ...job("died"), userId: "u2" }, SPOT)).toBe("delivered");
    expect(await settled.became(job("a"), SPOT)).toBe("delivered");
  });

  test("is said once the index is whole again", async () => {
    const { found, looks, world } = setup();
    const settled = await found;
    world.isDamaged = true;
    const became = settled.became(job("died"), SPOT);
    while (looks.length < 20) await new Promise(setImmediate);
    world.isDamaged = false;
    expect(await became).toBe("dead");
  });

  test("is not known where more of the selected calls wait than can be kept in mind; others do not count", async () => {
    const two = [job("a"), job("b"), job("b", { attempts: 1 })];
    const others = [job("c", { sourceId: "s2" }), job("d", { replayId: "rpl_0" })];
    const settled = await setup([...two, ...others], { sourceId: "s1" }).found;
    expect(await settled.became(job("b"), SPOT)).toBe("pending");
    await expect(setup([...two, ...others]).found).rejects.toThrow(CannotGoOn);
  });
});
