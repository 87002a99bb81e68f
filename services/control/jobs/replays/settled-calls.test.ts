import { describe, expect, test } from "@jest/globals";
import type { FoundJob, WaitingReader } from "../../deliveries/waiting/reader.ts";
import { findSettled } from "./settled-calls.ts";

const SPOT = { partition: 0, offset: 4 };
const job = (jobId: string) => ({ jobId, userId: "u1", anonymousId: null, body: Buffer.of() });

function setup(waitingIds: readonly string[] = []) {
  const looks: string[] = [];
  const waiting: WaitingReader = {
    async scan({ onJob }) {
      looks.push("what waits");
      for (const id of waitingIds) await onJob({ topicName: id } as FoundJob);
      return undefined;
    },
    decode: async ({ topicName: jobId }) => job(jobId) as never,
  };
  const found = findSettled(
    {
      admin: {
        async committedOffsets() {
          looks.push("committed");
          return new Map([[0, 5]]);
        },
      },
      topicName: "jobs",
      groupId: "deliverers",
      waiting,
      index: {
        findDeadLetter: (id, user) =>
          id === "died" && user?.userId === "u1" ? ({ id } as never) : undefined,
      },
      progress: {
        async untilCovers(_, ends) {
          looks.push(`indexed up to ${ends.join()}`);
          return looks.length > 4;
        },
      },
      async deadLetterEnds() {
        looks.push("what has died");
        return [7];
      },
    },
    { destinationId: "d1", signal: new AbortController().signal },
  );
  return { found, looks };
}

describe("what has become of a call", () => {
  test("is looked at in the order in which it is written", async () => {
    const { found, looks } = setup();
    await found;
    expect(looks).toEqual(["committed", "what waits", "what has died", "indexed up to 7", "indexed up to 7"]);
  });

  test("is that it is pending until its job is committed, and while it waits", async () => {
    const settled = await setup(["waits"]).found;
    expect(settled.became(job("a"), { partition: 0, offset: 5 })).toBe("pending");
    expect(settled.became(job("a"), { partition: 1, offset: 0 })).toBe("pending");
    expect(settled.became(job("waits"), SPOT)).toBe("pending");
    expect(settled.became(job("died"), SPOT)).toBe("dead");
    expect(settled.became({ ...job("died"), userId: "u2" }, SPOT)).toBe("delivered");
    expect(settled.became(job("a"), SPOT)).toBe("delivered");
  });

  test("is not known while more calls wait than can be kept in mind", async () => {
    const many = Array.from({ length: 200_001 }, (_, index) => `${index}`);
    await expect(setup(many).found).rejects.toThrow("more than 200000 calls wait");
  });
});
