// Tests what ingest does in one turn of the event loop, for bodies that are made to take long. They count
// characters that are parsed and printed, as a clock says more of the machine.
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { MAX_BATCH_BYTES, MAX_CALL_BYTES } from "#contract";
import { type IngestFixture, post, startFixture } from "../fixtures/http.ts";

/** Characters that JSON.parse was given and JSON.stringify has made, in this turn and in the fullest so far. */
const parsed = { now: 0, most: 0 };
const printed = { now: 0, most: 0 };
let turns = 0;

function endTurn(): void {
  for (const count of [parsed, printed]) {
    count.most = Math.max(count.most, count.now);
    count.now = 0;
  }
  turns += 1;
}

const parse = JSON.parse;
const stringify = JSON.stringify;

let ingest: IngestFixture;
beforeAll(async () => {
  const pause = () => {
    endTurn();
    return new Promise<void>((resolve) => void setImmediate(resolve));
  };
  const store = async () => {
    endTurn();
    return "stored" as const;
  };
  ingest = await startFixture({ parts: { pause }, store });
  jest.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    parsed.now += text.length;
    return parse(text, reviver);
  });
  jest.spyOn(JSON, "stringify").mockImplementation((value: unknown) => {
    const text = stringify(value);
    printed.now += text?.length ?? 0;
    return text;
  });
});
afterAll(() => {
  jest.restoreAllMocks();
  return ingest.close();
});
beforeEach(() => {
  turns = 0;
  for (const count of [parsed, printed]) Object.assign(count, { now: 0, most: 0 });
});

/** Repeats `unit` as often as fits into so many bytes. */
function fill(unit: (index: number) => string, { open, close, sizeBytes }: Filling): string {
  const units: string[] = [];
  for (let size = open.length + close.length; ; ) {
    const next = unit(units.length);
    size += next.length + 1;
    if (size > sizeBytes) return open + units.join(",") + close;
    units.push(next);
  }
}

interface Filling {
  readonly open: string;
  readonly close: string;
  readonly sizeBytes: number;
}

const call = (properties: string) => `{"type":"track","event":"E","userId":"u","properties":${properties}}`;
const batchOf = (calls: (index: number) => string) =>
  fill(calls, { open: '{"batch":[', close: "]}", sizeBytes: MAX_BATCH_BYTES });
const propertiesOf = (unit: (index: number) => string, sizeBytes = 30_000) =>
  fill(unit, { open: '{"a":[', close: "]}", sizeBytes });

/** A call is printed twice, for its body and for its size, with what ingest adds. */
const PRINTED_A_TURN = 3 * MAX_CALL_BYTES;

describe("no turn has more to do than a single call may have", () => {
  test.each([
    ["many calls", batchOf((index) => call(`{"a":${index}}`.padEnd(250)))],
    ["empty objects", batchOf(() => call(propertiesOf(() => "{}")))],
    [
      "objects with a key of their own",
      batchOf((at) => call(propertiesOf((index) => `{"k${at}_${index}":1}`))),
    ],
    [
      "many keys",
      batchOf(() =>
        call(fill((index) => `"${index.toString(36)}":0`, { open: "{", close: "}", sizeBytes: 30_000 })),
      ),
    ],
    ["the deepest nesting", batchOf(() => call(propertiesOf(() => "[".repeat(60) + "]".repeat(60))))],
    ["keys with escapes", batchOf(() => call(propertiesOf(() => '{"\\n":1}')))],
    ["strings of escapes", batchOf(() => call(`{"a":"${"\\u0041".repeat(5_000)}"}`))],
    ["long numbers", batchOf((index) => call(propertiesOf(() => `0.${String(index).repeat(20)}`)))],
    [
      "one call that is too large",
      `{"batch":[${call(propertiesOf(() => "{}", MAX_BATCH_BYTES - 200))},${call("{}")}]}`,
    ],
    [
      "a root full of what no rule names",
      `{"x":${propertiesOf(() => "{}", MAX_BATCH_BYTES - 200)},"batch":[${call("{}")}]}`,
    ],
    [
      "a root that is merged",
      `{"context":${propertiesOf(() => "[]", 6_000)},"batch":[${new Array(2_500).fill(call("{}")).join(",")}]}`,
    ],
  ])("%s", async (_what, body) => {
    expect(body.length).toBeGreaterThan(150_000);
    expect(body.length).toBeLessThanOrEqual(MAX_BATCH_BYTES);
    const { status } = await post(ingest, "/v1/batch", { body });
    endTurn();
    expect(status).toBe(200);
    expect(parsed.most).toBeLessThanOrEqual(MAX_CALL_BYTES);
    expect(printed.most).toBeLessThanOrEqual(PRINTED_A_TURN);
  });

  test("a single call and a batch of that size take no turn beside the one that reads them", async () => {
    const sizeBytes = MAX_CALL_BYTES;
    expect(
      (
        await post(ingest, "/v1/track", {
          body: `{"event":"E","userId":"u","properties":${propertiesOf(() => "{}", sizeBytes - 100)}}`,
        })
      ).status,
    ).toBe(200);
    const batch = `{"batch":[${[1, 2].map(() => call(propertiesOf(() => "[]", sizeBytes / 2 - 200))).join(",")}]}`;
    expect((await post(ingest, "/v1/batch", { body: batch })).status).toBe(200);
    // One for each store.
    expect(turns).toBe(2);
  });
});
