import { expect, test } from "@jest/globals";
import type { OutgoingRecord, Received } from "#kafka";
import type { Call } from "#topics";
import { callOf } from "../fixtures/calls.ts";
import { createKeyCalls } from "./key-calls.ts";

function keying(linkEveryMs: number) {
  let atMs = 0;
  const step = createKeyCalls({
    records: {
      profileEvent: (key, { kind }) => ({ topic: kind, key, value: null }),
    },
    linkEveryMs,
    hasAccounts: () => false,
    nowMs: () => atMs,
    onKeyed: () => undefined,
  });
  /** What a call with both ids becomes then, and whether that is durable. */
  return (nowMs: number, isDurable = true): string[] => {
    atMs = nowMs;
    let produced: readonly OutgoingRecord[] = [];
    const record = { decoded: callOf({ userId: "u", anonymousId: "x" }) } as Received<Call>;
    const claim = { isOurs: true, giveBack: () => undefined };
    step(
      record,
      ({ onDurable, produce }) => {
        produced = produce;
        if (isDurable) onDurable?.();
      },
      claim,
    );
    return produced.map(({ topic }) => topic);
  };
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
