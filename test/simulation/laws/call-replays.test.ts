import { describe, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import type { Request } from "#testing";
import type { DeadLetter, DeliveryJob, Replay } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import type { Happening } from "../world/history.ts";
import {
  callReplayCountsAreTrue,
  callReplaysSendWhatTheyMean,
  callsAreSentAgainOnce,
} from "./call-replays.ts";
import { doublesAreExplained } from "./doubles.ts";
import { committed, DESTINATION, EMPTY_STORY, URL, written } from "./fixtures/empty-story.ts";
import { replaysSendWhatTheyCover } from "./replay-jobs.ts";
import { replayCountsAreTrue } from "./replays.ts";
import type { Story, Written } from "./story.ts";

const LAWS = [
  callReplaysSendWhatTheyMean,
  callsAreSentAgainOnce,
  callReplayCountsAreTrue,
  replaysSendWhatTheyCover,
  replayCountsAreTrue,
  doublesAreExplained,
];
const CALL = {
  destinationId: "destination",
  messageId: "m1",
  userId: "u1",
  sourceId: "source",
  type: "track",
  receivedAtMs: 5,
  body: Buffer.from("{}"),
};

function job(place: number, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> {
  const value = { ...CALL, jobId: "j1", replayId: null, attempts: 0, diverts: 0, ...more };
  return written(value as DeliveryJob, "delivery-jobs", place);
}

const again = (place: number, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> =>
  job(place, { jobId: replayJobId("j1", "r"), replayId: "r", ...more });

function replay(place: number, more: Partial<Replay> = {}): Written<Replay> {
  const calls = {
    which: "delivered",
    userId: null,
    stretches: [{ partition: 0, fromOffset: 0, toOffset: 4 }],
  };
  const asked = {
    id: "r",
    ids: null,
    destinationId: "destination",
    toDestinationId: null,
    fromMs: null,
    ends: [],
  };
  const counts = { matched: 0, replayed: 0, expired: 0 };
  return written({ ...asked, ...counts, calls, state: "running", ...more } as Replay, "replays", place);
}

const finished = (count: number): Written<Replay> =>
  replay(8, { state: "finished", matched: count, replayed: count });

const letter = (place: number): Written<DeadLetter> =>
  written({ ...CALL, id: "j1", deadAtMs: 10, reason: "permanent" } as DeadLetter, "dead-letters", place);

const took = (answeredAtMs: number): Request =>
  ({
    url: URL,
    messageId: "m1",
    userId: "u1",
    status: 200,
    process: "deliverer-1",
    startedAtMs: answeredAtMs,
    answeredAtMs,
  }) as Request;

const JOBS = { topic: "delivery-jobs", partition: 0 };

const done = (atMs: number, partition = JOBS): Happening => committed(atMs, 2, { partition });

const CUT: Happening = { kind: "cut", atMs: 3_500, partition: JOBS, fromOffset: 0, toOffset: 2 };

/** A call that was delivered and committed, and sent again once by a replay that is finished. */
function story(more: Partial<Story> = {}): Story {
  return {
    ...EMPTY_STORY,
    plan: { ...drawPlan(1), recordsCalls: false, destinations: [DESTINATION] },
    happenings: [done(3_000)],
    jobs: [job(1), again(6)],
    replays: [replay(4), finished(1)],
    requests: [took(2_000), took(7_000)],
    ...more,
  };
}

const broken = (more: Partial<Story>): string[] => [
  ...new Set(LAWS.flatMap((law) => law(story(more)).map((finding) => finding.law))),
];

const SENDS = "a replay of calls sends what it means and nothing else";
const COUNTS = "a replay of calls counts what it sent";
const DOUBLE = "a double only for what was not committed";

test("a replay of calls that went well breaks no law", () => {
  expect(broken({})).toEqual([]);
});

describe("a law is broken by", () => {
  test("a finished replay that left a call out, unless deliverers had not committed it yet", () => {
    const replays = [replay(4), finished(0)];
    const left = { jobs: [job(1)], replays, requests: [took(2_000)] };
    expect(broken(left)).toEqual([SENDS]);
    expect(broken({ ...left, happenings: [done(5_000)] })).toEqual([]);
    expect(broken({ ...left, deadLetters: [letter(2)] })).toEqual([]);
    // It waits where another one stood that was committed, and was lost.
    const partition = { topic: "delivery-retry-1s", partition: 0 };
    const waiting = { ...job(3), record: { ...job(3).record, ...partition, offset: 0 } };
    const happenings = [done(2_000), done(3_000, partition), { ...CUT, partition }];
    expect(broken({ ...left, jobs: [job(1), waiting], happenings })).toEqual([]);
  });

  test("a call that was sent again before it had ended", () => {
    const requests = [took(6_500), took(7_000)];
    expect(broken({ requests })).toEqual([SENDS]);
    const partition = { topic: "delivery-retry-1s", partition: 0 };
    const waiting = { ...job(3, { attempts: 1 }), record: { ...job(3).record, ...partition } };
    const waits = { requests, jobs: [job(1), waiting, again(6)] };
    const removed = (atMs: number): Happening => ({ kind: "removed", atMs, partition, below: 4 });
    const before = [done(3_000), done(3_000, partition)];
    expect(broken({ ...waits, happenings: [...before, removed(5_000)] })).toEqual([]);
    expect(broken({ ...waits, happenings: [...before, removed(6_200)] })).toEqual([SENDS]);
  });

  test("a call that is dead where delivered ones are meant, and the other way round", () => {
    expect(broken({ deadLetters: [letter(2)] })).toEqual([SENDS]);
    const { calls } = replay(4).value;
    const dead = replay(4, { calls: { ...calls, which: "dead" } as Replay["calls"] });
    expect(broken({ replays: [dead, finished(1)] })).toEqual([SENDS]);
    expect(broken({ replays: [dead, finished(1)], deadLetters: [letter(2)] })).toEqual([]);
  });

  test("a job of no call that it reads, or of one that is not as it was", () => {
    expect(broken({ jobs: [job(1), again(6, { jobId: "other" })] })).toContain(SENDS);
    expect(broken({ jobs: [job(1), again(6, { body: Buffer.from("[]") })] })).toContain(SENDS);
  });

  test("a call that is sent twice, but for one whose job stands twice", () => {
    const jobs = [job(1), again(6), again(7)];
    expect(broken({ jobs })).toEqual(["a replay sends a call once"]);
    expect(broken({ jobs: [...jobs, job(2)] })).toEqual([]);
    expect(broken({ jobs: [...jobs, job(2)], requests: [took(2_000), took(7_000), took(8_000)] })).toEqual([
      DOUBLE,
    ]);
  });

  test("a count that is not so", () => {
    expect(broken({ replays: [replay(4), finished(0)] })).toEqual([COUNTS]);
    expect(broken({ replays: [replay(4), finished(2)] })).toEqual([COUNTS]);
    // Another one has sent it and lost the replay before it counted that, and the call is lost since.
    const byAnother = [job(1), { ...again(6), process: "control-2" }];
    const uncounted = { jobs: byAnother, replays: [replay(4), finished(0)] };
    const happenings = [done(2_000), done(3_000), CUT];
    expect(broken(uncounted)).toEqual([COUNTS]);
    expect(broken({ ...uncounted, happenings })).toEqual([]);
    const byItself = { ...uncounted, jobs: [job(1), again(6)] };
    expect(broken({ ...byItself, happenings })).toEqual([COUNTS]);
    const started: Happening = { kind: "disturbed", atMs: 7_000, process: "control-1", by: "start" };
    expect(broken({ ...byItself, happenings: [...happenings, started] })).toEqual([]);
  });
});
