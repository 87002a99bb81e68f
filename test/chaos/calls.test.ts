import { describe, expect, test } from "@jest/globals";
import {
  callNumber,
  deliveredBody,
  judgeBody,
  messageIdOf,
  ROUTES,
  routeOf,
  sentCall,
  userOf,
} from "./calls.ts";

const AT = "2026-01-02T03:04:06.000Z";
const CALLS = Array.from({ length: 40 }, (_, call) => call);

function judged(call: number, change: (body: string) => string) {
  return judgeBody(Buffer.from(change(deliveredBody(call, AT))));
}

describe("what comes out is compared with what was sent", () => {
  test("an unchanged body is its call, whatever ingest's clock said", () => {
    for (const call of CALLS) expect(judged(call, (body) => body)).toEqual({ call });
  });

  test("a body that differs in one value, in one byte of its layout or in its order is altered", () => {
    for (const call of CALLS) {
      const altered = { call, alteration: "the body differs" };
      expect(judged(call, (body) => body.replace('"kept":', '"kept":1'))).toEqual(altered);
      expect(judged(call, (body) => body.replace('"version":1,', '"version": 1,'))).toEqual(altered);
      expect(judged(call, (body) => body.replace('"type"', '"extra2":1,"type"'))).toEqual(altered);
      expect(judged(call, (body) => body.replace("ö", "o"))).toEqual(altered);
      expect(judged(call, (body) => body.replace(messageIdOf(call), messageIdOf(call + 4)))).toMatchObject({
        alteration: "the body differs",
      });
    }
  });

  test("a body without the id of a call, without a time or cut short is altered", () => {
    expect(judged(1, (body) => body.replace("call-1", "call-01"))).toEqual({
      alteration: "the messageId is none that was sent",
    });
    expect(judged(1, (body) => body.replace(AT, "later"))).toEqual({
      call: 1,
      alteration: "receivedAt is no time",
    });
    expect(judged(1, (body) => body.slice(0, -1))).toEqual({ alteration: "the body is no JSON" });
  });
});

describe("the calls of a run", () => {
  test("go to every route, by several users each, in several types", () => {
    expect(new Set(CALLS.map((call) => routeOf(call).source))).toEqual(
      new Set(ROUTES.map(({ source }) => source)),
    );
    expect(new Set(CALLS.map((call) => sentCall(call).type)).size).toBe(3);
    const many = Array.from({ length: 2_000 }, (_, call) => call).filter(
      (call) => routeOf(call).source === "gone",
    );
    expect(new Set(many.map(userOf)).size).toBeGreaterThan(4);
  });

  test("are known by their messageId, and nothing else is", () => {
    for (const call of CALLS) expect(callNumber(messageIdOf(call))).toBe(call);
    for (const other of ["call-", "call-1.5", "call--1x", "1", 1, undefined]) {
      expect(callNumber(other)).toBeUndefined();
    }
  });
});
