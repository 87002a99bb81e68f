import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { type Opening, type OpeningParts, openAll } from "./opening.ts";

let host: TestHost;
let recorder: ReturnType<typeof recordingLogger>;
let begun: number[];

beforeEach(() => {
  host = new TestHost();
  recorder = recordingLogger();
  begun = [];
});

const opening = (partition: number): Opening & { isOver: boolean } => ({
  partition: { topic: "t", partition },
  isOver: false,
  begin: () => void begun.push(partition),
});

function open(openings: readonly Opening[], parts: Partial<OpeningParts> = {}): Promise<void> {
  const none = { onAssigned: undefined, openPartition: undefined };
  return openAll(openings, { ...none, logger: recorder.logger, host, ...parts });
}

describe("opening partitions", () => {
  test("begins them at once where nobody has to get ready", async () => {
    await open([opening(0), opening(1)]);
    expect(begun).toEqual([0, 1]);
  });

  test("goes on until it succeeds, after a growing while, and says each time that it did not", async () => {
    let tries = 0;
    const done = open([opening(0)], {
      onAssigned: async () => {
        tries += 1;
        if (tries <= 2) throw new Error("store locked");
      },
    });
    const seen: number[] = [];
    for (const ms of [199, 1, 399, 1]) {
      await host.advance(ms);
      seen.push(tries);
    }
    await done;
    expect([seen, begun]).toEqual([[1, 2, 2, 3], [0]]);
    expect(recorder.lines).toEqual(
      [0, 1].map((failures) => ({
        level: "error",
        fields: { failures, error: "store locked" },
        message: expect.stringContaining("cannot be opened yet"),
      })),
    );
  });

  test("asks once more for those alone that are not over", async () => {
    const [one, two] = [opening(0), opening(1)];
    const asked: number[][] = [];
    const done = open([one, two], {
      onAssigned: async (partitions) => {
        asked.push(partitions.map(({ partition }) => partition));
        one.isOver = true;
        if (asked.length === 1) throw new Error("store locked");
      },
    });
    await host.advance(1_000);
    await done;
    expect([asked, begun]).toEqual([[[0, 1], [1]], [1]]);
  });

  test("ends when all are over: none is opened by itself or begun, and nobody is asked for help", async () => {
    const one = opening(0);
    const opened: number[] = [];
    const done = open([one], {
      onAssigned: async () => {
        one.isOver = true;
        throw new Error("store locked");
      },
      openPartition: async ({ partition }) => void opened.push(partition),
    });
    await host.advance(60_000);
    await done;
    expect([opened, begun, recorder.lines]).toEqual([[], [], []]);
  });

  test("tells of an assignment without partitions, once", async () => {
    const asked: number[] = [];
    await open([], { onAssigned: async ({ length }) => void asked.push(length) });
    expect(asked).toEqual([0]);
  });

  test("of one that takes long holds no other back; one that is lost meanwhile is not begun", async () => {
    const ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [one, two] = [opening(0), opening(1)];
    const done = open([one, two], { openPartition: async ({ partition }) => ready[partition]?.promise });
    ready[1]?.resolve();
    await host.advance(0);
    expect(begun).toEqual([1]);
    one.isOver = true;
    ready[0]?.resolve();
    await done;
    expect(begun).toEqual([1]);
  });
});
