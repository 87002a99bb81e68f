import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { routedCall } from "#support/records";
import type { Replay } from "#topics";
import { placeOf } from "../../records/places/places.ts";
import { replay } from "../../records/replays/fixtures/replay.ts";
import { listed } from "../dead-letters/fixtures/listed-dead-letter.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import { type CallAsked, findCalls } from "./find.ts";
import type { CallParts } from "./parts.ts";
import { callState } from "./trace.ts";

const ASKED: CallAsked = { messageId: "m1", sourceId: "s1", user: undefined };
const CALL = routedCall({ partition: 0, offset: 7, destinationIds: ["d1"] });

/** The newest records of these are not read yet. */
let behind: Set<string>;
let isRecorded: boolean;
let deadLetters: ListedDeadLetter[];
let replays: Replay[];
let isAllRead: boolean;
let isDeleted: boolean;

beforeEach(() => {
  [behind, isRecorded, isAllRead, isDeleted] = [new Set(), true, true, false];
  [deadLetters, replays] = [[], []];
});

const parts: CallParts = {
  deliveries: {
    index: {
      listAttempts: () => [],
      listDeadLetters: () => [...deadLetters],
      listRoutedCalls: async () => (isRecorded ? [{ ...CALL, place: 1, callPlace: placeOf(CALL) }] : []),
    },
    progress: { indexedUntilMs: () => 0 },
  },
  destinations: { get: () => undefined, in: () => [] },
  replays: { list: () => [...replays] },
  deletedUsers: { mayBeOfDeleted: () => isDeleted },
  waiting: {
    scan: async () => (isAllRead ? undefined : { topic: 0, partition: 0, offset: 0 }),
    decode: () => Promise.reject(new Error("nothing waits")),
  },
  routedUpTo: async () => new Map([[0, 8]]),
  untilIndexed: async (kind) => !behind.has(kind),
  host: systemHost,
};

async function find(asked: CallAsked = ASKED) {
  const { calls, isComplete } = await findCalls(parts, asked);
  return { states: calls[0].traces.map(callState), isComplete };
}

describe("a call that was routed, neither waits nor has died", () => {
  test("was delivered", async () => {
    expect(await find()).toEqual({ states: ["delivered"], isComplete: true });
  });

  test.each(["deadLetters", "routedCalls"])(
    "is not all that can be said while %s are behind",
    async (kind) => {
      behind.add(kind);
      expect((await find()).isComplete).toBe(false);
    },
  );

  test("may still have died while dead letters are behind", async () => {
    behind.add("deadLetters");
    expect((await find()).states).toEqual(["queued"]);
  });
});

test.each([
  ["a destination's", "d1"],
  ["the router's", null],
])("a call that a fault of %s handler stopped is dead, not delivered", async (_, destinationId) => {
  deadLetters = [listed({ destinationId, type: null, receivedAtMs: null, replayable: false })];
  expect((await find()).states).toEqual(["dead"]);
});

describe("a call whose dead letter a replay has sent again", () => {
  beforeEach(() => {
    [deadLetters, replays] = [[listed()], [replay({ cursor: "1:10" })]];
  });

  test("was delivered, though that request has no record", async () => {
    expect(await find()).toEqual({ states: ["delivered"], isComplete: true });
  });

  test("was delivered, also when its own record is gone", async () => {
    isRecorded = false;
    expect((await find()).states).toEqual(["delivered"]);
  });

  test("may still wait while not all was looked at", async () => {
    isAllRead = false;
    expect(await find()).toEqual({ states: ["queued"], isComplete: false });
  });

  test.each<[string, Partial<Replay>]>([
    ["has not come to it", { cursor: "1:9" }],
    ["was to send it elsewhere", { toDestinationId: "d2" }],
    ["found some of its letters gone", { expired: 1 }],
  ])("stays dead when the replay %s", async (_, changes) => {
    replays = [replay({ cursor: "1:10", ...changes })];
    expect((await find()).states).toEqual(["dead"]);
  });

  test("stays dead when the replay may have left it out for its user's deletion", async () => {
    isDeleted = true;
    expect((await find()).states).toEqual(["delivered"]);
    replays = [replay({ cursor: "1:10", deleted: 1 })];
    expect((await find()).states).toEqual(["dead"]);
  });

  test("stays dead when its replay has passed it after the look at what waits", async () => {
    replays = [];
    const late = find();
    replays.push(replay({ cursor: "1:10" }));
    expect((await late).states).toEqual(["dead"]);
  });
});

describe.each([
  ["of its source", ASKED],
  ["of any source", { ...ASKED, sourceId: undefined }],
])("a call %s of which nothing is known", (_, asked) => {
  beforeEach(() => {
    isRecorded = false;
  });

  test("is not there", async () => {
    await expect(find(asked)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("may be there while the index is behind", async () => {
    behind.add("routedCalls");
    await expect(find(asked)).rejects.toMatchObject({ kind: "unavailable" });
  });
});
