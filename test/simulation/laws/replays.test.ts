import { describe, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import type { Request } from "#testing";
import type { DeadLetter, DeliveryJob, Replay } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import type { Happening } from "../world/history.ts";
import { committed, DESTINATION, EMPTY_STORY, URL, written } from "./fixtures/empty-story.ts";
import { lettersAreSentAgainOnce, replayedCallsArrive, replaysSendWhatTheyCover } from "./replay-jobs.ts";
import { indexesAreComplete, noCommitPassesReplay, replayCountsAreTrue, replaysEnd } from "./replays.ts";
import type { Story, Written } from "./story.ts";

const LAWS = [
  replaysSendWhatTheyCover,
  lettersAreSentAgainOnce,
  replayedCallsArrive,
  replaysEnd,
  replayCountsAreTrue,
  noCommitPassesReplay,
  indexesAreComplete,
];
const CALL = {
  destinationId: "destination",
  messageId: "m1",
  sourceId: "source",
  type: "track",
  receivedAtMs: 5,
  body: Buffer.from("{}"),
};

const letter = (id: string): Written<DeadLetter> =>
  written({ ...CALL, id, deadAtMs: 10, reason: "permanent" } as DeadLetter, "dead-letters", 0);

function replay(place: number, more: Partial<Replay> = {}): Written<Replay> {
  const counts = { matched: 1, replayed: 0, skipped: 0, expired: 0, deleted: 0 };
  const asked = {
    id: "r",
    ids: null,
    destinationId: "destination",
    reason: null,
    fromMs: null,
    toMs: null,
    ends: [1],
  };
  return written({ ...asked, ...counts, state: "running", ...more } as Replay, "replays", place);
}

function job(place: number, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> {
  const value = { ...CALL, jobId: replayJobId("l1", "r"), replayId: "r", attempts: 0, diverts: 0, ...more };
  return written(value as DeliveryJob, "delivery-jobs", place);
}

const REQUEST = { url: URL, messageId: "m1", status: 200, answeredAtMs: 2_500 } as Request;

const settled = (offset: number): Happening => {
  const partition = { topic: "replays", partition: 0 };
  return committed(5_000, offset, { groupId: "control", partition, process: "control-1" });
};

/** What happened, at the places of the history that the records name. */
function happenings(...more: Happening[]): Happening[] {
  const nothing: Happening = { kind: "disturbed", atMs: 0, process: "nobody", by: "start" };
  return [...Array.from({ length: 5 }, () => nothing), ...more];
}

/** One dead letter, sent again by a replay that is finished, and delivered. */
function story(more: Partial<Story> = {}): Story {
  return {
    ...EMPTY_STORY,
    plan: { ...drawPlan(1), recordsCalls: false, destinations: [DESTINATION] },
    happenings: happenings(settled(4)),
    jobs: [job(2)],
    deadLetters: [letter("l1")],
    replays: [replay(1), replay(3, { state: "finished", replayed: 1 })],
    requests: [REQUEST],
    indexes: [{ process: "control-1", deadLetters: 1, counted: {}, waiting: 0 }],
    ...more,
  };
}

const broken = (more: Partial<Story>): string[] => [
  ...new Set(LAWS.flatMap((law) => law(story(more)).map((finding) => finding.law))),
];

const disturbed = (by: string): Happening => ({ kind: "disturbed", atMs: 2_500, process: "control-1", by });

test("a replay that went well breaks no law", () => {
  expect(broken({})).toEqual([]);
});

describe("a law is broken by", () => {
  const sends = "a replay sends what it covers and nothing else";
  const counts = "a replay's counts are true";

  test("a replay that is finished and has left a dead letter out", () => {
    const replays = [replay(1), replay(3, { state: "finished" })];
    expect(broken({ jobs: [], replays })).toEqual([sends, counts]);
    const removed: Happening = {
      kind: "removed",
      atMs: 2_000,
      partition: { topic: "dead-letters", partition: 0 },
      below: 1,
    };
    const expired = [replay(1), replay(3, { state: "finished", expired: 1 })];
    expect(broken({ jobs: [], replays: expired })).toEqual([sends, counts]);
    expect(broken({ jobs: [], replays: expired, happenings: happenings(removed) })).toEqual([]);
    expect(broken({ jobs: [], replays, happenings: happenings(removed) })).toEqual([counts]);
  });

  test("a replay that has not counted what it sent, but for what was removed before it was counted", () => {
    const uncounted = [replay(1), replay(3, { state: "finished", replayed: 0, expired: 1 })];
    const removed: Happening = {
      kind: "removed",
      atMs: 2_000,
      partition: { topic: "dead-letters", partition: 0 },
      below: 1,
    };
    expect(broken({ replays: uncounted })).toContain(counts);
    expect(broken({ replays: uncounted, happenings: happenings(removed) })).not.toContain(counts);
  });

  test("a job of no dead letter that the replay means", () => {
    expect(broken({ jobs: [job(2), job(4, { jobId: "other" })] })).toContain(sends);
    expect(broken({ jobs: [job(2, { body: Buffer.from("[]") })] })).toContain(sends);
    const behindItsEnds = { ...letter("l1"), record: { ...letter("l1").record, offset: 1 } };
    expect(broken({ deadLetters: [behindItsEnds] })).toContain(sends);
  });

  test("a dead letter that is sent twice, but for a process that went without saying how far it was", () => {
    const jobs = [job(2), job(4)];
    const once = "a replay sends a letter once";
    expect(broken({ jobs })).toEqual([once]);
    expect(broken({ jobs, happenings: happenings(disturbed("stop"), settled(4)) })).toEqual([once]);
    expect(broken({ jobs, happenings: happenings(disturbed("kill"), settled(4)) })).toEqual([]);
    // It was told to stop, and sent this one until its replays' turn to stop came.
    const stopping = { ...disturbed("stop"), atMs: 1_000 };
    const lost = happenings(stopping, disturbed("rebalance"), settled(4));
    expect(broken({ jobs, happenings: lost })).toEqual([once]);
    const restarted = happenings(
      stopping,
      { ...disturbed("start"), atMs: 1_500 },
      disturbed("rebalance"),
      settled(4),
    );
    expect(broken({ jobs, happenings: restarted })).toEqual([]);
    expect(broken({ jobs, happenings: happenings(disturbed("stop"), disturbed("cut"), settled(4)) })).toEqual(
      [],
    );
    // One that was cut off does not know for a while that another one has its partitions.
    const cutOff = happenings({ ...disturbed("cut"), atMs: 1_000 }, settled(4));
    const byAnother = [job(2), { ...job(4), process: "control-2" }];
    expect(broken({ jobs: byAnother, happenings: cutOff })).toEqual([]);
    const itsOwnCameLate = [{ ...job(2), process: "control-2" }, job(4)];
    expect(broken({ jobs: itsOwnCameLate })).toEqual([once]);
    expect(broken({ jobs: itsOwnCameLate, happenings: cutOff })).toEqual([]);
    expect(broken({ jobs, happenings: cutOff })).toEqual([once]);
    // An answer is lost between two moments at which that is told.
    const requests = (atMs: number): Happening => ({ ...disturbed("requests"), atMs }) as Happening;
    const atOnce = [job(2), { ...job(4), atMs: 2_400 }];
    const lasts = happenings(requests(1_600), requests(2_600), settled(4));
    expect(broken({ jobs: atOnce, happenings: lasts })).toEqual([]);
    expect(broken({ jobs: atOnce, happenings: happenings(requests(1_600), settled(4)) })).toEqual([once]);
    // What was on its way then is sent again when nobody has answered for 15 s, not later.
    const longAfter = (place: number) => [{ ...job(2), process: "control-2" }, job(place)];
    expect(broken({ jobs: longAfter(16), happenings: cutOff })).toEqual([]);
    expect(broken({ jobs: longAfter(18), happenings: cutOff })).toEqual([once]);
  });

  test("a replayed call that nobody has taken since, and is no dead letter again", () => {
    const arrive = "every replayed call is delivered or a dead letter again";
    const requests = [{ ...REQUEST, answeredAtMs: 1_500 }];
    expect(broken({ requests })).toEqual([arrive]);
    const deadAgain = { ...letter(replayJobId("l1", "r")), place: 4 };
    const behind = { ...deadAgain, record: { ...deadAgain.record, offset: 1 } };
    const indexes = [{ process: "control-1", deadLetters: 2, counted: {}, waiting: 0 }];
    expect(broken({ requests, deadLetters: [letter("l1"), behind], indexes })).toEqual([]);
  });

  test("a replay that runs for ever, that nobody has written, or that goes on after it was cancelled", () => {
    const ends = "a replay ends, and as it was asked to";
    expect(broken({ replays: [replay(1)], happenings: [] })).toEqual([ends]);
    const told = (kind: "replay_begun" | "replay_cancelled", replayId: string): Happening => ({
      kind,
      replayId,
      atMs: 4_000,
    });
    expect(broken({ happenings: happenings(told("replay_begun", "other")) })).toEqual([ends]);
    const cancelled = happenings(told("replay_cancelled", "r"));
    // It was at its end.
    expect(broken({ happenings: cancelled })).toEqual([]);
    expect(broken({ happenings: cancelled, jobs: [] })).toContain(ends);
  });

  test("a count that is not so", () => {
    const ended = (more: Partial<Replay>) => [
      replay(1),
      replay(3, { state: "finished", replayed: 1, ...more }),
    ];
    expect(broken({ replays: ended({ matched: 2 }) })).toEqual([counts]);
    expect(broken({ replays: ended({ replayed: 0 }) })).toEqual([counts]);
    expect(broken({ replays: ended({ state: "cancelled", replayed: 2 }) })).toEqual([counts]);
    expect(broken({ replays: ended({ state: "cancelled", replayed: 0 }) })).toEqual([]);
  });

  test("a commit past a replay that still runs", () => {
    const replays = [replay(1), replay(6, { state: "finished", replayed: 1 })];
    const law = ["no commit passes a replay that runs"];
    expect(broken({ replays, happenings: happenings(settled(2)) })).toEqual(law);
    expect(broken({ replays, happenings: happenings(settled(1)) })).toEqual([]);
  });

  test("an index that has fewer or more than there are", () => {
    expect(broken({ indexes: [{ process: "control-1", deadLetters: 0, counted: {}, waiting: 0 }] })).toEqual([
      "the index has every dead letter once",
    ]);
  });
});
