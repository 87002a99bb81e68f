import { describe, expect, test } from "@jest/globals";
import type { RefusedCalls } from "#topics";
import { basic, startFixture, WRITE_KEY } from "../fixtures/http.ts";
import { invalid } from "../refusal.ts";
import { createRefusedCalls } from "./refused-calls.ts";

function open(recordsPerSecond = 50) {
  const clock = { ms: 0 };
  const state = { isAway: false };
  const written: RefusedCalls[] = [];
  const ticks: (() => void)[] = [];
  const log = createRefusedCalls({
    async write(record) {
      if (state.isAway) throw new Error("no Kafka");
      written.push(record);
    },
    host: { setInterval: (tick) => ({ clear: () => void ticks.splice(0), tick: ticks.push(tick) }) },
    nowMs: () => clock.ms,
    recordsPerSecond,
  });
  async function tick(): Promise<void> {
    for (const each of ticks) each();
    await new Promise(setImmediate);
  }
  return { clock, log, written, state, tick };
}

const NO_EVENT = invalid("event_not_defined", "no event");
const NONE = () => undefined;
const kept = (body: string) => () => ({ body, isBodyCut: false, userIds: ["u"] });
/** Of a record without one. */
const NO_BODY = { body: null, isBodyCut: false, userIds: null };

describe("refused calls", () => {
  test("of a batch are one record for each code, by its first call", () => {
    const { log, written } = open();
    log.rejected(
      "s1",
      [
        { index: 1, code: "event_not_defined", message: "no event" },
        { index: 2, code: "no_user_anon_id", message: "nobody" },
        { index: 5, code: "event_not_defined", message: "none here either" },
      ],
      (index) => (index === 1 ? kept("{}")() : undefined),
    );
    expect(written).toEqual([
      {
        sourceId: "s1",
        code: "event_not_defined",
        message: "no event",
        calls: 2,
        index: 1,
        atMs: 0,
        leftOut: 0,
        ...kept("{}")(),
      },
      {
        ...{ sourceId: "s1", code: "no_user_anon_id", message: "nobody", calls: 1, index: 2, atMs: 0 },
        ...{ leftOut: 0, ...NO_BODY },
      },
    ]);
  });

  test("have ten records a second for one source, so many for all; the others one for each code after a while", async () => {
    const { clock, log, tick, written } = open(15);
    for (const source of ["s1", "s2"]) for (let n = 0; n < 12; n += 1) log.refused(source, NO_EVENT, NONE);
    log.refused("s1", invalid("invalid_type", "no type"), NONE);
    expect(written.map(({ sourceId }) => sourceId).join("")).toBe(`${"s1".repeat(10)}${"s2".repeat(5)}`);
    clock.ms = 10_000;
    await tick();
    expect(written.slice(15).map(({ atMs, calls, code, sourceId }) => [sourceId, code, calls, atMs])).toEqual(
      [
        ["s1", "event_not_defined", 2, 10_000],
        ["s1", "invalid_type", 1, 10_000],
        ["s2", "event_not_defined", 7, 10_000],
      ],
    );
    await tick();
    expect(written.length).toBe(18);
  });

  test("that Kafka did not take are told later, and what is left at the end", async () => {
    const { log, state, tick, written } = open();
    state.isAway = true;
    for (let n = 0; n < 12; n += 1) log.refused("s1", NO_EVENT, NONE);
    await tick();
    state.isAway = false;
    await log.stop();
    expect(written.map(({ calls, code }) => [code, calls])).toEqual([["event_not_defined", 12]]);
  });

  test("of more sources than are remembered are told before they are forgotten", async () => {
    const { log, tick, written } = open(0);
    for (let n = 0; n <= 1_000; n += 1) log.refused(`s${n}`, NO_EVENT, NONE);
    await tick();
    expect(new Set(written.map(({ sourceId }) => sourceId)).size).toBe(1_001);
  });

  test("are told with what their caller was told; not what ingest has no room for", () => {
    const { log, written } = open();
    log.refused("s1", { kind: "busy", reason: "kafka", retryAfterMs: 1 }, kept("{}"));
    log.refused("s1", { kind: "rate_limited", retryAfterMs: 1 }, kept("{}"));
    log.refused("s1", invalid("invalid_type", "x".repeat(600)), kept("{}"));
    expect(written.map(({ body, code, message }) => [code, message.length, body])).toEqual([
      ["rate_limited", "the source sends more calls than it may".length, null],
      ["invalid_type", 500, "{}"],
    ]);
  });

  test("have their bodies up to so many characters a second, of a source and of all", () => {
    const { clock, log, written } = open();
    const bodies = () => written.splice(0).map(({ body }) => body?.length ?? 0);
    const refuse = (source: string, times: number, characters: number) => {
      for (let n = 0; n < times; n += 1) log.refused(source, NO_EVENT, kept("x".repeat(characters)));
    };
    refuse("s1", 5, 4_096);
    expect(bodies()).toEqual([4_096, 4_096, 4_096, 4_096, 0]);
    for (const source of ["s2", "s3", "s4"]) refuse(source, 4, 4_096);
    expect(bodies().filter((length) => length > 0)).toHaveLength(8);
    clock.ms = 1_000;
    refuse("s1", 1, 4_096);
    expect(bodies()).toEqual([4_096]);
  });

  test("whose record Kafka did not take are told later without their bodies", async () => {
    const { log, state, written } = open();
    state.isAway = true;
    log.refused("s1", NO_EVENT, kept("{}"));
    await new Promise(setImmediate);
    state.isAway = false;
    await log.stop();
    expect(written).toMatchObject([{ calls: 1, ...NO_BODY }]);
  });
});

test("a request says which calls of its source were refused, and one without a source nothing", async () => {
  const { log, written } = open();
  let hasAny = false;
  const suppressions = {
    keep: <C>(_: string, calls: C) => calls,
    isSuppressed: suppressed,
    hasAny: () => hasAny,
  };
  const fixture = await startFixture({ parts: { refusedCalls: log, suppressions } });
  const post = (path: string, body: string, key = WRITE_KEY) =>
    fetch(`${fixture.url}${path}`, { method: "POST", headers: basic(key), body });
  const good = { type: "track", event: "e", userId: "u" };
  const bad = { type: "track", userId: "u" };
  await post("/v1/batch", JSON.stringify({ batch: [good, bad], writeKey: WRITE_KEY }));
  await post("/v1/track", `{"writeKey":"${WRITE_KEY}"`);
  await post("/v1/track", `{writeKey: ${WRITE_KEY}}`);
  await post("/v1/track", JSON.stringify({ userId: "gone", writeKey: WRITE_KEY }));
  await post("/v1/track", JSON.stringify({ userId: "u" }), "nobody's");
  hasAny = true;
  await post("/v1/batch", JSON.stringify({ integrations: [], batch: [{ ...good, userId: "gone" }] }));
  await post("/v1/track", '{"userId":"gone"');
  await post("/v1/track", JSON.stringify(bad));
  await fixture.close();
  expect(written.map(({ body, sourceId, code, index }) => [sourceId, code, index, body])).toEqual([
    ["src_1", "event_not_defined", 1, JSON.stringify(bad)],
    ["src_1", "invalid_json", null, '{"writeKey":"********"'],
    ["src_1", "invalid_json", null, "{writeKey: ********}"],
    ["src_1", "event_not_defined", null, null],
    // Nobody can tell whom these name.
    ["src_1", "integrations_invalid", null, null],
    ["src_1", "invalid_json", null, null],
    ["src_1", "event_not_defined", null, JSON.stringify(bad)],
  ]);
});

function suppressed(_: string, userId: string | null): boolean {
  return userId === "gone";
}
