import { beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { routedCall } from "../delivery-index/fixtures/records.ts";
import { placeOf } from "../delivery-index/places.ts";
import { type CallAsked, findCalls } from "./find.ts";
import type { CallParts } from "./parts.ts";
import { callState } from "./trace.ts";

const ASKED: CallAsked = { messageId: "m1", sourceId: "s1", user: undefined };
const CALL = routedCall({ partition: 0, offset: 7, destinationIds: ["d1"] });

/** The newest records of these are not read yet. */
let behind: Set<string>;
let isRecorded: boolean;

beforeEach(() => {
  [behind, isRecorded] = [new Set(), true];
});

const parts: CallParts = {
  deliveries: {
    index: {
      listAttempts: () => [],
      listDeadLetters: () => [],
      listRoutedCalls: () => (isRecorded ? [{ ...CALL, place: 1, callPlace: placeOf(CALL) }] : []),
    },
    progress: { indexedUntilMs: () => 0 },
  },
  destinations: { get: () => undefined, list: () => [] },
  replays: { list: () => [] },
  waiting: {
    scan: async () => undefined,
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
