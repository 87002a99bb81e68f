import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readRecordTrace, readTrace, traceHeaders, writeTrace } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const readTraceparent = (traceparent: string) => readTrace({ traceparent, tracestate: undefined });

describe("traceparent", () => {
  test("tells trace, span and whether it is recorded", () => {
    expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
      state: undefined,
    });
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled).toBe(false);
    // Further flags may be defined; the last bit keeps its meaning.
    expect(readTraceparent(`00-${TRACE}-${SPAN}-03`)?.isSampled).toBe(true);
  });

  test("of a later version is read as far as it is known", () => {
    expect(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)?.traceId).toBe(TRACE);
  });

  test.each([
    ["", "nothing"],
    [`00-${TRACE}-${SPAN}`, "no flags"],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, "capitals"],
    [`00-${"0".repeat(32)}-${SPAN}-01`, "a trace of zeroes"],
    [`00-${TRACE}-${"0".repeat(16)}-01`, "a span of zeroes"],
    [`ff-${TRACE}-${SPAN}-01`, "the forbidden version"],
    [`00-${TRACE}-${SPAN}-01-more`, "more than version 00 has"],
    [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, "two headers"],
  ])("%j is none: %s", (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  test("what is written is read, and no text makes reading throw", () => {
    const trace = { traceId: TRACE, spanId: SPAN, state: "vendor=1" };
    expect(readRecordTrace(writeTrace(trace))).toEqual({ ...trace, isSampled: true });
    fc.assert(
      fc.property(fc.string(), (text) => {
        readTraceparent(text);
      }),
    );
  });

  test("of a record's headers its state goes on with it, and nothing else", () => {
    const all = [
      ["other", "x"],
      ["tracestate", "vendor=1"],
      ["traceparent", "t"],
    ] as const;
    expect(traceHeaders(new Map(all.slice(0, 2)))).toBeUndefined();
    expect(traceHeaders(new Map(all))).toEqual(new Map(all.slice(1)));
    expect(traceHeaders(new Map(all.slice(2)))).toEqual(new Map(all.slice(2)));
  });
});
