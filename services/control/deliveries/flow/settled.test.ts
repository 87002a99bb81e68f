import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { FlowSum } from "../index/flow-table.ts";
import type { WaitingCount } from "../waiting/kept-waiting.ts";
import { entriesOf, totalOf } from "./entries.ts";
import { callFlow, type DeliveryFlow } from "./flow.ts";
import { readSettled, waitingSums } from "./settled.ts";

const MINUTE_MS = 60_000;
const QUERY = { fromMs: 0, toMs: 10 * MINUTE_MS, stepMs: MINUTE_MS };

const sum = (stage: FlowSum["stage"], calls: number, more: Partial<FlowSum> = {}): FlowSum => ({
  ...{ atMs: 0, type: "track", stage, reason: "", calls },
  ...more,
});
const waits = (calls: number, more: Partial<WaitingCount> = {}): WaitingCount => ({
  ...{ sourceId: "s1", destinationId: "d1", type: "track", minuteMs: 0, calls },
  ...more,
});

const allOf = ({ dead, delivered, waiting }: DeliveryFlow): number =>
  Object.values(dead).reduce((all, calls) => all + calls, 0) +
  (waiting ?? Number.NaN) +
  (delivered ?? Number.NaN);

test("what was sent is dead, waiting and delivered in each entry, and entries add up to the total, whatever waits", () => {
  const at = fc.record({
    minute: fc.nat(2),
    type: fc.constantFrom("track", "page"),
    sent: fc.nat(20),
    dead: fc.nat(20),
    waiting: fc.nat(30),
  });
  fc.assert(
    fc.property(fc.array(at), fc.constantFrom(undefined, "eventType" as const), (cells, groupBy) => {
      const of = ({ minute, type }: (typeof cells)[number]) => ({ atMs: minute * MINUTE_MS, type });
      const sums = cells.flatMap((cell) => [
        sum("sent", Math.max(cell.sent, cell.dead), of(cell)),
        sum("dead", cell.dead, { ...of(cell), reason: "permanent" }),
      ]);
      const waiting = cells.map((cell) =>
        waits(cell.waiting, { minuteMs: cell.minute * MINUTE_MS, type: cell.type }),
      );
      const counts = { requests: [], sums, waiting: waitingSums({ sums, waiting }, QUERY) };
      const entries = entriesOf(counts, groupBy).map(
        (entry) => callFlow(entry.sums, entry.isSettled).deliveries,
      );
      const total = callFlow(totalOf(counts).sums, true).deliveries;
      for (const each of [...entries, total]) expect(allOf(each)).toBe(each.sent);
      for (const field of ["sent", "waiting", "delivered"] as const)
        expect(entries.reduce((all, each) => all + (each[field] ?? Number.NaN), 0)).toBe(total[field]);
    }),
  );
});

test.each([
  [{ sourceId: "s1" }, 5],
  [{ destinationId: "d1" }, 6],
  [{ sourceId: "s1", destinationId: "d1" }, 4],
  [{}, 7],
])("of %j what waits is counted: %d", (of, calls) => {
  const waiting = [
    ...[waits(4), waits(1, { destinationId: "d2" }), waits(2, { sourceId: "s2" })],
    ...[waits(8, { minuteMs: QUERY.toMs }), waits(8, { minuteMs: -MINUTE_MS })],
  ];
  const sums = [sum("sent", 100)];
  expect(waitingSums({ sums, waiting }, { ...QUERY, ...of })).toEqual([
    { atMs: 0, type: "track", stage: "waiting", reason: "", calls },
  ]);
});

describe("a call that has died", () => {
  const DIED = sum("dead", 1, { reason: "permanent" });
  /** Nothing waits any more, and the dead letter is indexed at a look behind it. */
  async function read({ known, isIndexed = true }: { known: number; isIndexed?: boolean }) {
    const steps: string[] = [];
    const step =
      <T>(name: string, value: T) =>
      async (): Promise<T> => {
        steps.push(name);
        return value;
      };
    const settled = await readSettled(
      {
        deliveries: { progress: { offsets: () => [known], untilCovers: step("indexed", isIndexed) } },
        waitingCounter: { count: step("count", { counts: [], deadLetterEnds: [7] }) },
      },
      { read: step("sums", [sum("sent", 1)]), readDead: step("dead", [DIED]) },
    );
    return { ...settled, steps };
  }

  test("since the sums were read is not taken for delivered", async () => {
    expect(await read({ known: 6 })).toEqual({
      steps: ["sums", "count", "indexed", "dead"],
      sums: [sum("sent", 1), DIED],
      waiting: [],
    });
  });

  test("before is asked for once", async () => {
    expect(await read({ known: 7 })).toMatchObject({ steps: ["sums", "count"], waiting: [] });
  });

  test("and is not indexed in time makes what waits unknown", async () => {
    expect((await read({ known: 6, isIndexed: false })).waiting).toBeUndefined();
  });
});
