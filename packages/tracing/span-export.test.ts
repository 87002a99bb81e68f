import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type SpanReceiver, startSpanReceiver } from "#support/span-receiver";
import { until } from "#support/until";
import { MAX_SPANS, openSpanExport, type SpanExport } from "./span-export.ts";
import type { SpanStart } from "./tracer.ts";

const START: SpanStart = { name: "a span", kind: "client", attributes: { "hookline.attempt": 2 } };
const PARENT = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  isSampled: true,
  state: undefined,
};

let receiver: SpanReceiver;
let spans: SpanExport;
let counted: Record<string, number>;
let lines: readonly string[];
/** Lets the time be over that closing waits. */
let endWaiting: () => void;

beforeEach(async () => {
  receiver = await startSpanReceiver();
  const counts: Record<string, number> = { sent: 0, failed: 0, dropped: 0 };
  const said: string[] = [];
  counted = counts;
  lines = said;
  const note = (_facts: object, message: string) => void said.push(message);
  spans = openSpanExport({
    service: "ingest",
    url: receiver.url,
    authorization: "Bearer of-the-collector",
    counts: (outcome, count) => {
      counts[outcome] = (counts[outcome] ?? 0) + count;
    },
    host: {
      ...systemHost,
      setTimeout(work) {
        endWaiting = work;
        return { clear: () => undefined };
      },
    },
    logger: { info: note, warn: note },
  });
});

afterEach(async () => {
  await receiver.close();
});

describe("spans", () => {
  test("are sent with their trace, times, facts and failure", async () => {
    const span = spans.begin(PARENT, START);
    span.set({ "hookline.source.id": "s1" });
    span.end({ attributes: { "http.response.status_code": 503 }, error: "http_5xx" });
    expect(await spans.close(10_000)).toBe(true);
    const [sent] = receiver.spans;
    expect(sent).toMatchObject({
      service: "hookline-ingest",
      traceId: PARENT.traceId,
      parentSpanId: PARENT.spanId,
      name: "a span",
      isError: true,
      attributes: {
        "hookline.attempt": 2,
        "hookline.source.id": "s1",
        "http.response.status_code": 503,
        "error.type": "http_5xx",
      },
    });
    expect(span.headers).toEqual(new Map([["traceparent", `00-${PARENT.traceId}-${sent?.spanId}-01`]]));
    expect(receiver.text()).toContain("Bearer of-the-collector");
    expect(counted).toEqual({ sent: 1, failed: 0, dropped: 0 });
  });

  test.each([
    ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["rojo=1, no member ,congo=2", "rojo=1,congo=2"],
    [`rojo=${"x".repeat(508)}`, undefined],
    ["", undefined],
  ])("stand in a trace whose state goes on as far as it is one: %p", async (state, wanted) => {
    const span = spans.begin({ ...PARENT, state }, START);
    span.end({});
    expect(await spans.close(10_000)).toBe(true);
    expect(span.headers.get("tracestate")).toBe(wanted);
    expect(receiver.spans[0]?.traceState || undefined).toBe(wanted);
  });

  test("that nobody takes are held up to a bound, then dropped and counted; the end does not wait for them", async () => {
    receiver.answer(undefined);
    for (let index = 0; index < MAX_SPANS + 100; index += 1) spans.begin(PARENT, START).end({});
    expect(counted).toEqual({ sent: 0, failed: 0, dropped: 100 });
    const closed = spans.close(2_000);
    endWaiting();
    expect(await closed).toBe(false);
    expect(counted).toEqual({ sent: 0, failed: 0, dropped: 100 });
    // Each of the others has its end too; where there is no process any more to wait for it, nobody does.
    const what = "the library to give up";
    await until(() => counted["failed"] === MAX_SPANS, { timeoutMs: 60_000, what });
  });

  test("that are refused are counted, and the log says once that it happens and once that it is over", async () => {
    receiver.answer(400);
    for (let times = 1; times <= 2; times += 1) {
      spans.begin(PARENT, START).end({});
      await until(() => counted["failed"] === times, { timeoutMs: 60_000, what: "a refusal" });
    }
    receiver.answer(200);
    spans.begin(PARENT, START).end({});
    await until(() => counted["sent"] === 1, { timeoutMs: 60_000, what: "a span to be sent" });
    expect(lines).toEqual(["spans cannot be sent; calls go on", "spans are sent again"]);
  });
});
