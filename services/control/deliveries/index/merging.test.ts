// The same records in one file, and shared among several: whatever is asked, the answers are the same.
import { afterEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { attempt, auditEntry, deadLetter, refusedCalls, routedCall, START_MS, total } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { RoutedCall, StatsRollup } from "#topics";
import type { DeliveryIndex, DueRollup } from "./delivery-index.ts";
import { STEP_MS } from "./eras.ts";
import { sweep } from "./fixtures/reading.ts";
import { openShared, type SharedIndex } from "./fixtures/shared.ts";
import type { FlowQuery, FlowStage } from "./flow-stages.ts";
import type { Indexed, IndexedRecords } from "./indexed.ts";

const { day: DAY_MS, hour: HOUR_MS, minute: MINUTE_MS } = STEP_MS;
const PARTITIONS = 7;
const USERS = ["u1", "u2", "u3"];
const SOURCES = ["s1", "s2"];
const DESTINATIONS = ["d1", "d2", "d3"];
const EVENTS = ["A", "B", null];

const opened: SharedIndex[] = [];
afterEach(() => {
  for (const index of opened.splice(0)) index.close();
});

/** The call at a place of calls: all of it follows from its number, so that one that is routed again is the same. */
function callAt(at: number): RoutedCall {
  const [userId = null, sourceId = "", event = null] = [USERS[at % 3], SOURCES[at % 2], EVENTS[at % 3]];
  const ids = { sourceId, userId: at % 5 === 0 ? null : userId, anonymousId: at % 5 === 0 ? "a1" : null };
  return routedCall({
    ...{ ...ids, event, messageId: `m${at % 4}`, type: at % 3 === 2 ? "identify" : "track" },
    ...{ partition: at % 2, offset: at, receivedAtMs: START_MS + ((at * 7_919) % 90) * HOUR_MS },
  });
}

/** As by their key: that of a message, a source and a user. */
function partitionOf({ anonymousId, messageId, sourceId, userId }: RoutedCall): number {
  const text = `${messageId} ${sourceId} ${userId} ${anonymousId}`;
  return [...text].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 0) % PARTITIONS;
}

type Step = readonly [kind: Indexed | "pass" | "write", at: number, way: number];

const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant("routedCalls" as const) },
      {
        weight: 8,
        arbitrary: fc.constantFrom<Step[0]>("attempts", "totals", "deadLetters", "refusedCalls", "auditLog"),
      },
      { weight: 3, arbitrary: fc.constantFrom<Step[0]>("hourlyStats", "dailyStats", "write") },
      { weight: 3, arbitrary: fc.constant("pass" as const) },
    ),
    fc.nat(40),
    fc.nat(3),
  ),
  { minLength: 10, maxLength: 60 },
);

let sequence = 0;

/** A record of another writer for each, so that none is taken for one that was written twice. */
function recordOf(kind: Indexed, at: number, way: number): IndexedRecords[Indexed] {
  sequence += 1;
  const [destinationId = "", sourceId = ""] = [DESTINATIONS[way % 3], SOURCES[at % 2]];
  const of = { destinationId, sourceId, messageId: `m${at % 4}` };
  const atMs = START_MS + at * HOUR_MS;
  switch (kind) {
    case "routedCalls": {
      const passedOver = way === 2 ? [{ destinationId: "d3", reason: "filter_off" }] : [];
      const [outcome, destinationIds] = way === 3 ? ["duplicate", []] : ["routed", DESTINATIONS.slice(way)];
      return { ...callAt(at), outcome, destinationIds, passedOver };
    }
    case "attempts":
      return attempt({ ...of, sequence, startedAtMs: atMs });
    case "totals":
      return total({ ...of, sequence, minuteMs: atMs });
    case "deadLetters":
      return deadLetter({ ...of, id: `j${sequence}`, receivedAtMs: atMs, deadAtMs: atMs });
    case "refusedCalls":
      return refusedCalls({ sourceId, calls: way + 1, atMs });
    case "auditLog":
      return auditEntry({ id: `log_${sequence}`, atMs });
    case "hourlyStats":
      return rollup(sourceId, destinationId, START_MS - (8 + at) * DAY_MS, way);
    case "dailyStats":
      return rollup(sourceId, destinationId, START_MS - (40 + at) * DAY_MS, way);
  }
}

function rollup(sourceId: string, destinationId: string, atMs: number, calls: number): StatsRollup {
  const counts = { type: "track", stage: "sent", reason: "", calls: calls + 1 };
  const names = [{ name: "A", counts: { sent: calls + 1 } }];
  return { atMs, sourceId, destinationId, calls: [counts], names, requests: [] };
}

const sorted = (entries: readonly unknown[]): string[] =>
  entries.map((one) => JSON.stringify(one)).toSorted();

/** Names of one step, whose order says nothing. */
const plainNames = (due: readonly DueRollup[]) =>
  due.map(({ isNews, record: { names, ...record }, stepMs }) => ({
    ...{ isNews, stepMs, record },
    names: sorted(names.map(({ counts, name }) => [name, Object.entries(counts).toSorted()])),
  }));

async function flowOf(index: DeliveryIndex, query: FlowQuery): Promise<unknown[]> {
  const names = await index.sumNames(query);
  const flat = names.map(({ atMs, counts }) => [
    atMs,
    sorted([...counts].map(([name, cells]) => [name, Object.entries(cells).toSorted()])),
  ]);
  const sums = await index.sumFlow(query);
  expect(sums.map(({ atMs }) => atMs)).toEqual(sums.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
  return [sorted(sums), flat];
}

async function pagesOf(index: DeliveryIndex, sourceId: string, range: object): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let behind: { atMs: number; place: number } | undefined; ; ) {
    const page = await index.listCallsOfSource({ sourceId, ...range }, { limit: 3, behind });
    found.push(...page);
    const last = page.at(-1);
    if (last === undefined) return found;
    behind = { atMs: last.receivedAtMs, place: last.place };
  }
}

async function looksOf(index: DeliveryIndex, partition: number): Promise<unknown[]> {
  const users = [
    { userId: "u1", anonymousId: null },
    { userId: null, anonymousId: "a1" },
  ];
  const found: unknown[] = [];
  for (let below: number | undefined; ; ) {
    const look = await index.lookAtRoutedCalls({ partition, below, users, rows: 2 });
    found.push(look);
    below = look.next?.place;
    if (below === undefined) return found;
  }
}

/** Everything that can be asked about recorded calls, and what is counted with them. */
async function answersOf({ index }: SharedIndex): Promise<Record<string, unknown>> {
  const range = { fromMs: START_MS - 400 * DAY_MS, toMs: START_MS + 400 * DAY_MS };
  const asked: readonly Partial<FlowQuery>[] = [
    {},
    ...SOURCES.map((sourceId) => ({ sourceId })),
    ...DESTINATIONS.map((destinationId) => ({ destinationId })),
    ...(["sent", "dead"] as FlowStage[]).map((stage) => ({ stage })),
  ];
  const answers: Record<string, unknown> = {};
  for (const stepMs of [MINUTE_MS, HOUR_MS, DAY_MS])
    for (const [at, one] of asked.entries())
      answers[`flow ${stepMs} ${at}`] = await flowOf(index, { ...range, stepMs, ...one });
  for (const hour of [0, 7, 31])
    answers[`between ${hour}`] = sorted(await index.sumBetween(START_MS + hour * HOUR_MS));
  for (const messageId of ["m0", "m1", "m2", "m3", "none"])
    for (const limit of [1, 3, 100]) {
      answers[`calls ${messageId} ${limit}`] = await index.listRoutedCalls({ messageId }, limit);
      const of = { messageId, sourceId: "s1", user: { userId: "u1", anonymousId: null } };
      answers[`call ${messageId} ${limit}`] = await index.listRoutedCalls(of, limit);
    }
  for (const sourceId of [...SOURCES, "none"]) {
    answers[`list ${sourceId}`] = await pagesOf(index, sourceId, {});
    const narrow = { fromMs: START_MS + 20 * HOUR_MS, toMs: START_MS + 60 * HOUR_MS };
    answers[`list in range ${sourceId}`] = await pagesOf(index, sourceId, narrow);
    for (const most of [2, 1_000])
      answers[`count ${sourceId} ${most}`] = await index.countCallsOfSource({ sourceId }, most);
  }
  const calls = Array.from({ length: 12 }, (_, at) => callAt(at));
  answers["events"] = await index.eventsOf(
    calls.map(({ messageId, sourceId, ...user }) => ({ messageId, sourceId, user })),
  );
  for (let partition = 0; partition < PARTITIONS; partition += 1)
    answers[`look ${partition}`] = await looksOf(index, partition);
  answers["partitions"] = await index.routedCallPartitions();
  answers["spans"] = await index.spans();
  answers["known"] = await Promise.all([...DESTINATIONS, "none"].map((id) => index.knowsDestination(id)));
  return answers;
}

/** Roll-ups that are due, some at a time, sent as the service does. */
async function writtenBy({ index, read }: SharedIndex): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let due = await index.dueRollups(3); due.length > 0; due = await index.dueRollups(3)) {
    all.push(plainNames(due));
    for (const { isNews, record, stepMs } of due)
      if (isNews) read(stepMs === DAY_MS ? "dailyStats" : "hourlyStats", [record]);
    await index.settleRollups(due);
  }
  return all;
}

test("records in one file, and in one to five shares, answer the same", async () => {
  let run = 0;
  const property = fc.asyncProperty(STEPS, fc.integer({ min: 1, max: 5 }), async (steps, shares) => {
    run += 1;
    let nowMs = START_MS + 4 * DAY_MS;
    const options = { folder: scratchFolder(), nowMs: () => nowMs };
    const one = await openShared({ ...options, shares: 0 });
    const many = await openShared({ ...options, folder: scratchFolder(), shares });
    opened.push(one, many);
    for (const [kind, at, way] of [...steps, ["pass", 40, 0] as const, ["write", 0, 0] as const]) {
      if (kind === "pass") nowMs += at * 2 * HOUR_MS;
      if (kind === "pass" || kind === "write")
        for (const { main, parts } of [one, many])
          for (const part of [main, ...parts]) sweep(part, 7 * DAY_MS, { dailyStats: 400 * DAY_MS });
      if (kind === "write") expect(await writtenBy(many)).toEqual(await writtenBy(one));
      if (kind === "pass" || kind === "write") continue;
      const record = recordOf(kind, at, way);
      const partition = kind === "routedCalls" ? partitionOf(record as RoutedCall) : 0;
      for (const each of [one, many]) each.read(kind, [record], partition);
    }
    expect(await answersOf(many)).toEqual(await answersOf(one));
    for (const each of opened.splice(0)) each.close();
  });
  await fc.assert(property, { numRuns: 25 });
  expect(run).toBeGreaterThanOrEqual(25);
}, 240_000);
