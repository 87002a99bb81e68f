// Tests which calls are traced, and what a step's records carry on.
import { describe, expect, jest, test } from "@jest/globals";
import type { Claim, OutgoingRecord, Received, Settle, Step } from "#kafka";
import { createTracer } from "./open-tracer.ts";
import type { TraceContext } from "./trace-context.ts";
import { carryTrace, traceStep } from "./traced-step.ts";
import { NO_TRACES, type Span, type SpanEnd, type SpanStart } from "./tracer.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const given = (flags: string) => `00-${TRACE}-00f067aa0ba902b7-${flags}`;
const caller = (traceparent?: string) => ({ traceparent, tracestate: "vendor=1" });
const START: SpanStart = { name: "a span", kind: "server", attributes: {} };

function begun() {
  const spans: { parent: TraceContext | undefined; ends: SpanEnd[] }[] = [];
  const begin = (parent: TraceContext | undefined): Span => {
    const span = { parent, ends: [] as SpanEnd[] };
    spans.push(span);
    return {
      headers: new Map([["traceparent", `span-${spans.length}`]]),
      set: () => undefined,
      end: (end) => span.ends.push(end),
    };
  };
  return { begin, spans };
}

function tracerOf({ followCallers = true, oneIn = 10, random = 0.5 } = {}) {
  const { begin, spans } = begun();
  return { spans, tracer: createTracer({ followCallers, oneIn }, { begin, random: () => random }) };
}

describe("where calls come in", () => {
  test("of those without a header one in so many is traced, in a trace of its own", () => {
    expect(tracerOf({ random: 0.1 }).tracer.enter(caller(), START)).toBeUndefined();
    const { spans, tracer } = tracerOf({ random: 0.0999 });
    expect(tracer.enter(caller(), START)?.headers.get("traceparent")).toBe("span-1");
    expect(spans[0]?.parent).toBeUndefined();
    expect(tracerOf({ oneIn: 0, random: 0 }).tracer.enter(caller(), START)).toBeUndefined();
    expect(tracerOf({ oneIn: 1, random: 0.999 }).tracer.enter(caller(), START)).toBeDefined();
  });

  test("a caller's header decides, both ways", () => {
    const { spans, tracer } = tracerOf({ oneIn: 1, random: 0 });
    expect(tracer.enter(caller(given("00")), START)).toBeUndefined();
    expect(tracer.enter(caller(given("01")), START)).toBeDefined();
    expect(spans).toMatchObject([{ parent: { traceId: TRACE, state: "vendor=1" } }]);
  });

  test("a header that is none, or callers that are not followed, count as no header", () => {
    const { spans, tracer } = tracerOf({ random: 0 });
    tracer.enter(caller("nonsense"), START);
    expect(tracerOf({ followCallers: false }).tracer.enter(caller(given("01")), START)).toBeUndefined();
    expect(spans).toEqual([{ parent: undefined, ends: [] }]);
  });
});

const RECORD: Received<string> = {
  topic: "t",
  partition: 0,
  offset: 1,
  key: null,
  value: null,
  timestampMs: 0,
  decoded: "x",
};
const OUT: OutgoingRecord = { topic: "out", key: "k", value: null };
const writesTwo: Step<string> = (_record, settle) => settle({ produce: [OUT], produceAfter: OUT });

function run(step: Step<string>, headers?: ReadonlyMap<string, string>) {
  const produced: OutgoingRecord[] = [];
  const giveBack = jest.fn();
  const claim: Claim = { isOurs: true, giveBack };
  const settle: Settle = ({ produce, produceAfter }) =>
    produced.push(...produce, ...(produceAfter ? [produceAfter] : []));
  step({ ...RECORD, headers }, settle, claim);
  return { giveBack, headers: produced.map((record) => record.headers) };
}

describe("a step", () => {
  const inTrace = new Map([
    ["traceparent", given("01")],
    ["other", "not ours"],
  ]);
  const onlyTrace = new Map([["traceparent", given("01")]]);

  test("without traces hands the trace on that its record came in, and nothing else", () => {
    expect(run(carryTrace(writesTwo), inTrace).headers).toEqual([onlyTrace, onlyTrace]);
    expect(
      run(
        traceStep(writesTwo, NO_TRACES, () => START),
        inTrace,
      ).headers,
    ).toEqual([onlyTrace, onlyTrace]);
    expect(run(carryTrace(writesTwo)).headers).toEqual([undefined, undefined]);
  });

  test("in a trace has a span, under which its records stand", () => {
    const { spans, tracer } = tracerOf();
    const own = new Map([["traceparent", "span-1"]]);
    expect(
      run(
        traceStep(writesTwo, tracer, () => START),
        inTrace,
      ).headers,
    ).toEqual([own, own]);
    expect(spans).toMatchObject([
      { parent: { traceId: TRACE }, ends: [{ attributes: { "hookline.records_written": 2 } }] },
    ]);
    expect(run(traceStep(writesTwo, tracer, () => START)).headers).toEqual([undefined, undefined]);
    expect(spans).toHaveLength(1);
  });

  test("that gives its record back, or throws, ends its span all the same", () => {
    const { spans, tracer } = tracerOf();
    const back = traceStep<string>(
      (_record, _settle, claim) => claim.giveBack(),
      tracer,
      () => START,
    );
    expect(run(back, inTrace).giveBack).toHaveBeenCalledTimes(1);
    const thrower = traceStep<string>(
      () => {
        throw new Error("broken");
      },
      tracer,
      () => START,
    );
    expect(() => run(thrower, inTrace)).toThrow("broken");
    expect(spans.map(({ ends }) => ends)).toEqual([[{ error: "given_back" }], [{ error: "step_failed" }]]);
  });
});
