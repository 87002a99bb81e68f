import { expect, test } from "@jest/globals";
import { deletionMessageId, SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import {
  type Call,
  type DeliveryJob,
  type Regulation,
  type Suppression,
  suppressionKey,
  userHash,
} from "#topics";
import { SOURCE_ID } from "../world/clients.ts";
import { expectations } from "./expectations.ts";
import { audienceStory } from "./fixtures/audience-story.ts";
import { DESTINATION, NO_MEMBER_WORK, request, writtenAt } from "./fixtures/empty-story.ts";
import {
  deletionsAreTold,
  lastRegulationCounts,
  notificationsArrive,
  regulationsEnd,
  suppressedAreNotRouted,
} from "./regulations.ts";
import { type Law, NO_CONTROL_RECORDS, type Story, type Written } from "./story.ts";

const TOLD = { ...DESTINATION, sourceIds: [SOURCE_ID, SPACE_SOURCE] };
const MOMENT_MS = EPOCH_MS + 11_000;

function regulation(atMs: number, more: Partial<Regulation> = {}): Written<Regulation> {
  return writtenAt<Regulation>("regulations", atMs, {
    ...{ id: "reg", regulationType: "SUPPRESS_WITH_DELETE", sourceId: null, subjectIds: ["u1"] },
    ...{ sourceIds: [SOURCE_ID], failedSourceIds: [], state: "initialized", deletedAtMs: null },
    ...{ createdAtMs: EPOCH_MS + 10_000, ...more },
  });
}

const ENDED = { state: "finished", subjectIds: [], deletedAtMs: MOMENT_MS };
const FINISHED = [regulation(10_000), regulation(12_000, ENDED)];

const suppression = (atMs: number, isSuppressed = true): Written<Suppression | null> => ({
  ...writtenAt("suppressions", atMs, {}, { key: suppressionKey(null, userHash("u1")) }),
  value: isSuppressed ? { regulationId: "reg", atMs: EPOCH_MS + 10_000 } : null,
});

const MESSAGE = deletionMessageId({ regulationId: "reg", sourceId: SOURCE_ID, userId: "u1" });
const deletion = (more: Partial<Call> = {}): Written<Call> =>
  writtenAt<Call>("calls", 12_000, {
    ...{ messageId: MESSAGE, sourceId: SOURCE_ID, userId: "u1", type: "delete", timestampMs: MOMENT_MS },
    ...more,
  });

const job = (atMs: number, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> =>
  writtenAt<DeliveryJob>(
    "delivery-jobs",
    atMs,
    {
      ...{ messageId: "m", sourceId: SOURCE_ID, destinationId: TOLD.id, userId: "u1", type: "track" },
      ...{ attempts: 0, diverts: 0, replayId: null, receivedAtMs: EPOCH_MS + atMs, body: Buffer.from("{}") },
      ...more,
    },
    { process: "webhook-router-1" },
  );

/** A user is suppressed and deleted, and the destination of their source is told so. */
function story(more: Partial<Story> = {}): Story {
  const made = audienceStory();
  return {
    ...made,
    plan: { ...made.plan, destinations: [TOLD], members: NO_MEMBER_WORK },
    happenings: [{ kind: "regulated", atMs: 10_010, regulationId: "reg" }],
    calls: [deletion()],
    control: { ...NO_CONTROL_RECORDS, regulations: FINISHED, suppressions: [suppression(10_050)] },
    requests: [request(12_100, { messageId: MESSAGE })],
    ...more,
  };
}

const found = (law: Law, more: Partial<Story> = {}): number => law(story(more)).length;
const controlled = (more: Partial<Story["control"]>) => ({ control: { ...story().control, ...more } });

test("a regulation that ended, whose user is suppressed and told of, breaks no law", () => {
  const laws = [
    regulationsEnd,
    lastRegulationCounts,
    suppressedAreNotRouted,
    deletionsAreTold,
    notificationsArrive,
  ];
  expect(laws.map((law) => found(law))).toEqual([0, 0, 0, 0, 0]);
});

test("one that was granted and is nowhere, or does not end, is a finding", () => {
  expect(found(regulationsEnd, controlled({ regulations: [], imports: [] }))).toBe(1);
  expect(found(regulationsEnd, controlled({ regulations: [regulation(10_000)] }))).toBe(1);
});

test("of a user the last word counts, by when it was asked for", () => {
  const later = { id: "other", regulationType: "UNSUPPRESS", createdAtMs: EPOCH_MS + 20_000 };
  const regulations = [...FINISHED, regulation(20_000, later)];
  expect(found(lastRegulationCounts, controlled({ regulations }))).toBe(1);
  const suppressions = [suppression(10_050), suppression(20_050, false)];
  expect(found(lastRegulationCounts, controlled({ regulations, suppressions }))).toBe(0);
  expect(found(lastRegulationCounts, controlled({ suppressions }))).toBe(1);
});

test("a job of a suppressed user's call is a finding: not of one that came before, of a deletion, or after its end", () => {
  const jobs = (...all: readonly Written<DeliveryJob>[]) => found(suppressedAreNotRouted, { jobs: all });
  expect(jobs(job(20_000))).toBe(1);
  expect(jobs(job(20_000, { receivedAtMs: EPOCH_MS + 10_900 }))).toBe(0);
  expect(jobs(job(11_500, { receivedAtMs: EPOCH_MS + 11_200 }))).toBe(0);
  expect(jobs(job(20_000, { type: "delete" }))).toBe(0);
  expect(jobs(job(20_000, { userId: "u2" }))).toBe(0);
  const alias = { type: "alias", userId: "u2", body: Buffer.from('{"previousId":"u1"}') };
  expect(jobs(job(20_000, alias))).toBe(1);
  const ended = controlled({ suppressions: [suppression(10_050), suppression(19_000, false)] });
  expect(found(suppressedAreNotRouted, { ...ended, jobs: [job(20_000)] })).toBe(0);
});

test("who was hindered may not know of the suppression", () => {
  const cut = { kind: "disturbed", atMs: 12_000, process: "webhook-router-1", by: "cut" } as const;
  expect(found(suppressedAreNotRouted, { jobs: [job(13_500)], happenings: [cut] })).toBe(0);
  expect(
    found(suppressedAreNotRouted, { jobs: [job(13_500)], happenings: [{ ...cut, atMs: -10_000 }] }),
  ).toBe(1);
});

test("a user who is told of in no call, in one of another moment, or without having been deleted, is a finding", () => {
  expect(found(deletionsAreTold, { calls: [] })).toBe(1);
  expect(found(deletionsAreTold, { calls: [deletion({ timestampMs: MOMENT_MS + 1 })] })).toBe(1);
  expect(found(deletionsAreTold, { calls: [deletion(), deletion({ messageId: "other" })] })).toBe(1);
  const failed = [
    regulation(10_000),
    regulation(12_000, { ...ENDED, state: "failed", failedSourceIds: [SOURCE_ID] }),
  ];
  expect(found(deletionsAreTold, { ...controlled({ regulations: failed }), calls: [] })).toBe(0);
});

test("a notification that never comes to its destination is a finding", () => {
  expect(found(notificationsArrive, { requests: [] })).toBe(1);
  expect(
    found(notificationsArrive, { requests: [request(12_100, { messageId: MESSAGE, status: 500 })] }),
  ).toBe(1);
});

test("a call of a user whose suppression was asked for is not expected anywhere", () => {
  const call = { messageId: "m", userId: "u1", type: "track", atMs: 9_000, againAfterMs: undefined } as const;
  const config = { ...TOLD, enabled: true };
  const configured = { kind: "configured", atMs: 1, destination: { id: TOLD.id, config } } as const;
  const stored = (atMs: number) => ({ kind: "stored", atMs, call, isRepeated: false }) as const;
  const expected = (atMs: number) => expectations(story({ happenings: [configured, stored(atMs)] })).length;
  expect([expected(2_000), expected(10_500)]).toEqual([1, 0]);
});
