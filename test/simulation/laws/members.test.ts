import { expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { ConnectionSync, DeliveryJob, DestinationConfig } from "#topics";
import { changeId } from "./audience-changes.ts";
import { AUDIENCE, audienceStory, event, given, profile, sent, version } from "./fixtures/audience-story.ts";
import { DESTINATION, NO_MEMBER_WORK, request, writtenAt } from "./fixtures/empty-story.ts";
import { membersAreTold, syncsEnd, whatIsToldWasSent } from "./members.ts";
import { NO_CONTROL_RECORDS, type Story, type Written } from "./story.ts";

const LATE = { ...DESTINATION, id: "late" };

/** The user's first change, and so on. */
const idOf = (seq: number): string => changeId("u1", AUDIENCE, { incarnation: 0, generation: 1, seq });

function job(seq: number, atMs: number, process?: string): Written<DeliveryJob> {
  const of = {
    destinationId: "late",
    sourceId: SPACE_SOURCE,
    type: "identify",
    messageId: idOf(seq),
  } as const;
  const value = { ...of, userId: "u1", attempts: 0, diverts: 0 };
  return writtenAt<DeliveryJob>("delivery-jobs", atMs, value, { process });
}

const took = (seq: number, startedAtMs: number) => request(startedAtMs, { messageId: idOf(seq) });

const configured = (atMs: number, enabled: boolean): Written<DestinationConfig> =>
  writtenAt<DestinationConfig>("destination-config", atMs, {
    id: "late",
    enabled,
    sourceIds: [SPACE_SOURCE],
    callTypes: null,
  });

const sync = (atMs: number, more: Partial<ConnectionSync> = {}): Written<ConnectionSync> =>
  writtenAt<ConnectionSync>("connection-syncs", atMs, {
    ...{ id: "late", isConnected: true, isDone: true, heldBackIds: [], createdAtMs: EPOCH_MS + 20_000 },
    ...more,
  });

/** The user came in at 10 s, went at 12, came back at 15, and is a member; the destination is connected at 20 s. */
function story(
  more: Partial<Story> = {},
  connected: readonly Written<DestinationConfig>[] = [configured(20_000, true)],
): Story {
  const calls = [
    given("m1", 10_000),
    sent({ value: true, atMs: 10_000, origin: { seq: 1 } }),
    sent({ value: false, atMs: 12_000, origin: { seq: 2 } }),
    sent({ value: true, atMs: 15_000, origin: { seq: 3 } }),
  ];
  const made = audienceStory({}, [version(1, { definition: JSON.stringify({ event: "A" }) })]);
  const call = { ...calls[0]?.value, name: "A", previousId: null };
  return {
    ...made,
    plan: {
      ...made.plan,
      destinations: [LATE],
      members: NO_MEMBER_WORK,
    },
    calls,
    profileEvents: [event(0, { call: call as never })],
    profiles: [profile(0, { seq: 3 })],
    control: { ...NO_CONTROL_RECORDS, destinations: connected, connectionSyncs: [sync(22_000)] },
    jobs: [job(3, 22_010)],
    requests: [took(3, 22_020)],
    ...more,
  };
}

const broken = (law: typeof membersAreTold, told: Story): string[] => law(told).map(({ what }) => what);

test("a member that was given is no finding; one that was not is, also where an older value came last", () => {
  expect(broken(membersAreTold, story())).toEqual([]);
  expect(broken(membersAreTold, story({ jobs: [], requests: [] }))).toHaveLength(3);
  const older = { jobs: [job(3, 22_010), job(2, 22_011)], requests: [took(3, 22_020), took(2, 22_030)] };
  // Who goes by times knows better.
  expect(broken(membersAreTold, story(older))).toHaveLength(2);
  expect(broken(membersAreTold, story({ ...older, drainedAtMs: undefined }))).toEqual([]);
});

test("a router that is behind may write an older value behind the one that was given, not a sync", () => {
  const jobs = [job(3, 22_010), job(2, 22_011, "webhook-router-1")];
  const requests = [took(3, 22_020), took(2, 22_030)];
  expect(broken(membersAreTold, story({ jobs, requests }))).toEqual([]);
});

test("a destination that is not connected in the end is owed nothing", () => {
  const connected = [configured(20_000, true), configured(30_000, false)];
  expect(broken(membersAreTold, story({ jobs: [], requests: [] }, connected))).toEqual([]);
});

test("who is no member any more is a finding where it was given since the connection, not where that was before", () => {
  const gone = {
    plan: { ...story().plan, audiences: [version(1, { definition: JSON.stringify({ event: "B" }) })] },
  };
  expect(broken(membersAreTold, story(gone))).toHaveLength(3);
  const before = { jobs: [job(3, 15_010)], requests: [took(3, 15_020)] };
  expect(broken(membersAreTold, story({ ...gone, ...before }))).toEqual([]);
});

test("a change that no router wrote is owed nothing where one was hindered just after the connection", () => {
  const changed = story().calls.map((call) =>
    call.value.messageId === idOf(3) ? { ...call, atMs: 22_500 } : call,
  );
  const nothing = { calls: changed, jobs: [], requests: [] };
  const router = { name: "webhook-router-1", service: "webhook-router", startMs: 0, skewMs: 0 } as const;
  const plan = { ...story().plan, processes: [router] };
  const cut = { kind: "disturbed", atMs: 21_000, process: router.name, by: "cut" } as const;
  expect(broken(membersAreTold, story({ ...nothing, plan }))).toHaveLength(3);
  expect(broken(membersAreTold, story({ ...nothing, plan, happenings: [cut] }))).toEqual([]);
});

test("who was suppressed while the destination was given what there is, is owed nothing", () => {
  const suppress = (offset: number, atMs: number, isSuppressed: boolean) => ({
    ...event(offset, { kind: "suppress", isSuppressed }),
    atMs,
  });
  const missed = (fromMs: number, untilMs: number, connectionSyncs = story().control.connectionSyncs) => {
    const profileEvents = [...story().profileEvents, suppress(1, fromMs, true), suppress(2, untilMs, false)];
    const profiles = [profile(untilMs + 1, { seq: 3 })];
    const told = { jobs: [], requests: [], profileEvents, profiles };
    const control = { ...story().control, connectionSyncs };
    return broken(membersAreTold, story({ ...told, control })).length;
  };
  expect(missed(21_000, 40_000)).toBe(0);
  expect(missed(25_000, 40_000)).toBe(3);
  expect(missed(16_000, 18_000)).toBe(3);
  // It waited for the audience, which was paused, until 24 s.
  const resumed = [sync(22_000, { heldBackIds: ["a1"] }), sync(24_000, { isDone: false }), sync(26_000)];
  expect(missed(25_000, 40_000, resumed)).toBe(0);
  expect(missed(27_000, 40_000, resumed)).toBe(3);
  expect(missed(21_000, 23_000, resumed)).toBe(3);
});

test("what was sent to nobody is a finding", () => {
  expect(broken(whatIsToldWasSent, story())).toEqual([]);
  expect(broken(whatIsToldWasSent, story({ jobs: [job(4, 22_010)] }))).toHaveLength(1);
  const { value, ...written } = profile(0, { seq: 4 });
  const { record } = writtenAt("profiles", 0, {}, { key: "u1" });
  const flip = {
    computationId: "a1",
    generation: 1,
    seq: 4,
    text: "true",
    atMs: 0,
    traits: "",
    isTracked: false,
    toAccount: "",
  };
  const profiles = [{ ...written, record, value: { ...value, outbox: [flip] } }];
  expect(broken(whatIsToldWasSent, story({ jobs: [job(4, 22_010)], profiles }))).toEqual([]);
});

test("a sync that does not end, or says that the destination is not connected, is a finding", () => {
  const found = (of: Partial<ConnectionSync>) =>
    broken(syncsEnd, story({ control: { ...story().control, connectionSyncs: [sync(22_000, of)] } })).length;
  expect(found({})).toBe(0);
  expect(found({ isDone: false })).toBe(1);
  expect(found({ isConnected: false })).toBe(1);
  expect(found({ heldBackIds: ["a1"] })).toBe(1);
});
