import { expect, test } from "@jest/globals";
import type { OutgoingRecord, Received } from "#kafka";
import type { Call } from "#topics";
import { callOf } from "../fixtures/calls.ts";
import { createKeyCalls } from "./key-calls.ts";

function keying(linkEveryMs: number) {
  let atMs = 0;
  const listeners: ((deletedAtMs: number) => void)[] = [];
  const step = createKeyCalls({
    records: {
      profileEvent: (key, { kind }) => ({ topic: kind, key, value: null }),
    },
    linkEveryMs,
    hasAccounts: () => false,
    nowMs: () => atMs,
    onKeyed: () => undefined,
    whenDeleted: (listener) => void listeners.push(listener),
  });
  /** What a call with both ids becomes then, and whether that is durable: before the next one, or with the next deletion. */
  const key = (nowMs: number, isDurable: boolean | "later" = true, timestampMs = nowMs): string[] => {
    atMs = nowMs;
    let produced: readonly OutgoingRecord[] = [];
    const record = { decoded: callOf({ userId: "u", anonymousId: "x", timestampMs }) } as Received<Call>;
    const claim = { isOurs: true, giveBack: () => undefined };
    step(
      record,
      ({ onDurable, produce }) => {
        produced = produce;
        if (isDurable === "later") listeners.push(() => onDurable?.());
        else if (isDurable) onDurable?.();
      },
      claim,
    );
    return produced.map(({ topic }) => topic);
  };
  return Object.assign(key, {
    deleteSomebody() {
      for (const listener of listeners) listener(atMs);
    },
  });
}

test("a link is written once, and again once it may be asked whether it is used", () => {
  const key = keying(1_000);
  expect([0, 999, 1_000, 1_999, 2_000].map((atMs) => key(atMs).length)).toEqual([2, 1, 2, 1, 2]);
});

test("a link that is not durable is written again", () => {
  const key = keying(1_000);
  expect([key(0, false), key(1)]).toEqual([
    ["release", "call"],
    ["release", "call"],
  ]);
});

test("where nobody asks it is never written again", () => {
  const key = keying(Number.POSITIVE_INFINITY);
  expect([key(0).length, key(1e13).length]).toEqual([2, 1]);
});

test("after a deletion, which may have ended it, a link is written once more; one that was under way by then, too", () => {
  const key = keying(1_000);
  expect([key(0).length, key(1).length]).toEqual([2, 1]);
  key.deleteSomebody();
  expect(key(2, "later")).toHaveLength(2);
  key.deleteSomebody();
  expect([key(3).length, key(4).length]).toEqual([2, 1]);
});

test("a link of before a deletion, which may have no effect for it, is written again", () => {
  const key = keying(1_000);
  key(10);
  key.deleteSomebody();
  expect([key(11, true, 10), key(12, true, 10), key(13), key(14)].map(({ length }) => length)).toEqual([
    2, 2, 2, 1,
  ]);
});
