import { describe, expect, test } from "@jest/globals";
import type { DoneRun } from "#kafka";
import type { Request } from "#testing";
import { EPOCH_MS } from "#testing/host";
import {
  type Call,
  type DeadLetter,
  type DeliveryJob,
  type Suppression,
  suppressionKey,
  userHash,
} from "#topics";
import { drawPlan } from "../plan/draw.ts";
import { SOURCE_ID } from "../world/clients.ts";
import type { Happening } from "../world/history.ts";
import type { LogLine } from "../world/log-book.ts";
import {
  committed,
  DESTINATION,
  EMPTY_STORY,
  recordAt,
  request as requestAt,
  URL,
  writtenAt,
} from "./fixtures/empty-story.ts";
import { findingsOf } from "./laws.ts";
import { NO_CONTROL_RECORDS, type Story, type Written } from "./story.ts";

const CALL = { messageId: "m1", userId: "u1", type: "track", atMs: 40_000, againAfterMs: undefined } as const;

function job(offset: number, more: Partial<DeliveryJob> = {}): Written<DeliveryJob> {
  const value = {
    jobId: "j1",
    messageId: "m1",
    userId: "u1",
    destinationId: "destination",
    attempts: 0,
    diverts: 0,
    dueAtMs: 0,
    replayId: null,
    unaskedUrls: [],
    outcomes: [],
    ...more,
  };
  return {
    record: recordAt("delivery-jobs", offset),
    value: value as DeliveryJob,
    atMs: 40_100,
    process: "webhook-router-1",
    place: 2 + offset,
  };
}

function call(messageId: string, offset: number): Written<Call> {
  const value = { messageId, userId: "u1" } as Call;
  return { record: recordAt("calls", offset), value, atMs: 40_050, process: "ingest-1", place: 1 };
}

const request = (messageId: string, more: Partial<Request> = {}): Request =>
  requestAt(40_200, { messageId, answeredAtMs: 40_210, ...more });

function letter(more: Partial<DeadLetter>): Written<DeadLetter> {
  const value = {
    messageId: "m1",
    userId: "u1",
    destinationId: "destination",
    attempts: 1,
    message: "",
    ...more,
  } as DeadLetter;
  return { record: recordAt("dead-letters", 0), value, atMs: 41_000, process: "deliverer-1", place: 9 };
}

const done = (offset: number, atMs = 40_300, ahead: readonly DoneRun[] = []): Happening =>
  committed(atMs, offset, { ahead });

const disturbed = (atMs: number, by = "kill"): Happening => ({
  kind: "disturbed",
  atMs,
  process: "deliverer-1",
  by,
});

const said = (facts: object): LogLine => ({
  atMs: 40_250,
  process: "deliverer-1",
  level: "error",
  message: "records were removed before they were read",
  facts,
});

const CONFIGURED: Happening = {
  kind: "configured",
  atMs: 10,
  destination: { id: "destination", config: { ...DESTINATION, enabled: true } },
};
const STORED: Happening = { kind: "stored", atMs: 40_060, call: CALL, isRepeated: false };

const appended = (written: Written<unknown>): Happening => ({
  kind: "appended",
  atMs: written.atMs,
  record: written.record,
  process: written.process,
});

/** One call, delivered and committed. */
function story(more: Partial<Story> = {}): Story {
  const plan = { ...drawPlan(1), recordsCalls: false, destinations: [DESTINATION], scripts: [], faults: [] };
  const answered: Happening = { kind: "answered", atMs: 40_210, request: request("m1") };
  return {
    ...EMPTY_STORY,
    plan,
    happenings: [CONFIGURED, STORED, appended(job(0)), answered, done(1)],
    calls: [call("m1", 0)],
    jobs: [job(0)],
    requests: [request("m1")],
    ...more,
  };
}

const broken = (more: Partial<Story>): string[] => [
  ...new Set(findingsOf(story(more)).map(({ law }) => law)),
];

test("a world in which all went well breaks no law", () => {
  expect(findingsOf(story())).toEqual([]);
});

const ASKED = "every well webhook is asked for every call";

describe("a law is broken by", () => {
  test("a stored call that is neither delivered nor a dead letter", () => {
    expect(broken({ requests: [request("m1", { status: 500 })] })).toContain(
      "every stored call is delivered or a dead letter",
    );
  });

  test.each([
    ["permanent", 1],
    ["window_over", 0],
    ["destination_gone", 0],
    ["handler_failed", 1],
    ["not_asked", 0],
  ])("a dead letter that says %s where nothing shows it", (reason, attempts) => {
    expect(broken({ deadLetters: [letter({ reason, attempts })] })).toEqual([
      "every dead letter's reason holds",
    ]);
  });

  test("a commit that goes back", () => {
    const { happenings } = story();
    expect(broken({ happenings: [...happenings, done(0, 40_400)] })).toEqual(["no commit goes back"]);
  });

  test("a commit that passes a job before its outcome", () => {
    const [configured, stored, written, answered, commit] = story().happenings as [
      Happening,
      Happening,
      Happening,
      Happening,
      Happening,
    ];
    expect(broken({ happenings: [configured, stored, written, commit, answered] })).toEqual([
      "no commit passes a job that is not settled",
    ]);
  });

  test("work that is left at the end", () => {
    expect(broken({ drainedAtMs: undefined, leftOver: "calls-0 is committed to 3 of 5" })).toEqual([
      "everything is through in time",
    ]);
  });

  test("a second delivery that nothing explains, and by none that a kill explains", () => {
    const requests = [request("m1"), request("m1", { startedAtMs: 41_000, answeredAtMs: 41_010 })];
    expect(broken({ requests })).toEqual(["a double only for what was not committed"]);
    const { happenings } = story();
    expect(
      broken({
        requests,
        happenings: [...happenings.slice(0, 4), disturbed(40_250), ...happenings.slice(4)],
      }),
    ).toEqual([]);
    expect(broken({ requests, happenings: [...happenings, disturbed(45_000)] })).toEqual([
      "a double only for what was not committed",
    ]);
  });

  test.each(["stop", "start", "rebalance"])("a second delivery after a %s", (by) => {
    const requests = [request("m1"), request("m1", { startedAtMs: 41_000, answeredAtMs: 41_010 })];
    const [before, after] = [story().happenings.slice(0, 4), story().happenings.slice(4)];
    const stopped = (atMs: number) =>
      broken({ requests, happenings: [...before, disturbed(atMs, by), ...after] });
    for (const atMs of [40_205, 40_720])
      expect(stopped(atMs)).toContain("a double only for what was not committed");
  });

  test("a commit that comes long after what is done, with nothing that hinders it", () => {
    const late = (...happenings: readonly Happening[]) =>
      broken({ happenings: [...story().happenings.slice(0, 4), ...happenings] });
    expect(late(done(1, 40_400))).toEqual([]);
    expect(late(done(1, 40_450))).toEqual(["what is done is committed soon"]);
    expect(late(done(0, 40_300, [{ from: 0, to: 1 }]), done(1, 50_000))).toEqual([]);
    expect(late(disturbed(40_250), done(1, 50_000))).toEqual([]);
    expect(late(disturbed(40_250), done(1, 59_000))).toEqual([]);
  });

  test("a commit later than that where another webhook may have been waited for, but by no more than that takes", () => {
    const plan = { ...story().plan, destinations: [{ ...DESTINATION, urls: [URL, `${URL}/other`] }] };
    const late = (atMs: number, requests = story().requests) =>
      broken({ plan, requests, happenings: [...story().happenings.slice(0, 4), done(1, atMs)] });
    const law = "what is done is committed soon";
    expect(late(42_400)).not.toContain(law);
    expect(late(42_450)).toContain(law);
    const before = request("m1", { url: `${URL}/other`, startedAtMs: 1_000, answeredAtMs: 1_010 });
    expect(late(42_400, [before, request("m1")])).not.toContain(law);
    expect(late(40_450, [request("m1"), request("m1", { url: `${URL}/other` })])).toContain(law);
    expect(late(40_450, [request("m1", { status: 503 })])).toContain(law);
  });

  test("a second delivery of what a commit says is done beyond its offset", () => {
    const requests = [request("m1"), request("m1", { startedAtMs: 45_100, answeredAtMs: 45_110 })];
    const happenings = story().happenings.slice(0, 4);
    const killedAfter = (commit: Happening) =>
      broken({ requests, happenings: [...happenings, commit, disturbed(45_000), done(1, 46_000)] });
    expect(killedAfter(done(0))).toEqual([]);
    expect(killedAfter(done(0, 40_300, [{ from: 0, to: 1 }]))).toEqual([
      "a double only for what was not committed",
    ]);
  });

  test("a second delivery by a member that the group misses, but for as long as it cannot know", () => {
    const again = request("m1", { process: "deliverer-2", startedAtMs: 41_000, answeredAtMs: 41_010 });
    const missedAt = (atMs: number, process = "deliverer-2"): Happening => ({
      kind: "missed",
      atMs,
      process,
    });
    const withMissed = (missed: Happening) =>
      broken({ requests: [request("m1"), again], happenings: [...story().happenings, missed] });
    expect(withMissed(missedAt(40_900))).toEqual([]);
    for (const missed of [missedAt(36_000), missedAt(41_500), missedAt(40_900, "deliverer-3")])
      expect(withMissed(missed)).toEqual(["a double only for what was not committed"]);
  });

  test("a counter that still counts something", () => {
    const remainders = [{ process: "deliverer-1", gauges: { delivery_outstanding_calls: 1 } }];
    expect(broken({ remainders })).toEqual(["counters return to zero"]);
  });

  describe("a user's first attempts in another order than the log's", () => {
    const ORDER = "one user's first attempts stay in order";
    const calls = [call("m1", 0), call("m2", 1)];
    const second = request("m2");
    const first = request("m1", { startedAtMs: 40_900, answeredAtMs: 40_910 });
    const requests = [second, first];

    test("and by nothing else", () => {
      expect(broken({ calls, requests })).toContain(ORDER);
      expect(broken({ calls, requests: [request("m1"), { ...second, startedAtMs: 40_900 }] })).not.toContain(
        ORDER,
      );
    });

    test("but not by one that was put off", () => {
      expect(broken({ calls, requests, jobs: [job(0), job(1, { diverts: 1 })] })).not.toContain(ORDER);
    });

    test("but not by one that another process has read again after it came to another webhook", () => {
      const other = `${URL}/other`;
      const destinations = [{ ...DESTINATION, urls: [URL, other] }];
      const plan = { ...story().plan, destinations };
      const sibling = request("m1", { url: other });
      expect(broken({ plan, calls, requests: [sibling, ...requests] })).toContain(ORDER);
      const again = { ...first, process: "deliverer-2" };
      expect(broken({ plan, calls, requests: [sibling, second, again] })).not.toContain(ORDER);
      const happenings = [...story().happenings, disturbed(40_500)];
      expect(broken({ plan, calls, happenings, requests: [sibling, ...requests] })).not.toContain(ORDER);
    });

    test("but not by one whose job was refused for good and stands behind the other's", () => {
      const refusing = { kind: "requests", what: "produce", how: "rejected", share: 0.5 } as const;
      const plan = { ...story().plan, faults: [{ ...refusing, id: "f1", atMs: 0, forMs: 1_000 }] };
      const inOrder = [job(0), job(1, { messageId: "m2" })];
      const behind = [job(0, { messageId: "m2" }), job(1)];
      expect(broken({ plan, calls, requests, jobs: inOrder })).toContain(ORDER);
      expect(broken({ plan, calls, requests, jobs: behind })).not.toContain(ORDER);
      expect(broken({ calls, requests, jobs: behind })).toContain(ORDER);
    });

    test("but not by one that was routed to it only when its destination had been changed", () => {
      const behind = [job(0, { messageId: "m2" }), job(1)];
      const changed = { ...CONFIGURED, atMs: 40_080 };
      const happenings = [...story().happenings, changed];
      expect(broken({ calls, requests, jobs: behind, happenings })).not.toContain(ORDER);
      const earlier = [...story().happenings, { ...changed, atMs: 40_000 }];
      expect(broken({ calls, requests, jobs: behind, happenings: earlier })).toContain(ORDER);
    });

    test("but not by one that another router dropped for a suppression that its own did not know of", () => {
      const alias = { type: "alias", body: Buffer.from('{"previousId":"u0"}') } as const;
      const late = job(1, { ...alias, sourceId: SOURCE_ID, receivedAtMs: EPOCH_MS + 40_050 });
      const drops = (
        atMs: number,
        process = "webhook-router-2",
        key = suppressionKey(null, userHash("u0")),
      ) => {
        const value = { regulationId: "reg", atMs: EPOCH_MS + atMs };
        const suppressions = [writtenAt<Suppression>("suppressions", atMs, value, { key })];
        const jobs = [{ ...job(0, { messageId: "m2" }), process }, late];
        return broken({ calls, requests, jobs, control: { ...NO_CONTROL_RECORDS, suppressions } });
      };
      expect(drops(39_000)).not.toContain(ORDER);
      expect(drops(39_100)).toContain(ORDER);
      expect(drops(39_000, late.process)).toContain(ORDER);
      expect(drops(39_000, "webhook-router-2", suppressionKey(null, userHash("u2")))).toContain(ORDER);
    });

    test("but not by one whose copy was removed, and read all the same, and whose job stands behind the other's", () => {
      const twice = [call("m1", 0), call("m2", 1), call("m2", 2)];
      const behind = [job(0, { messageId: "m2" }), job(1)];
      const late = [request("m2"), request("m1", { startedAtMs: 40_900, answeredAtMs: 40_910 })];
      const gone = { topic: "calls", partition: 0, fromOffset: 1, toOffset: 2 };
      const removed: Happening = { kind: "removed", atMs: 1, partition: gone, below: 2 };
      const happenings = [...story().happenings, removed];
      const logs = [said(gone)];
      expect(broken({ calls: twice, requests: late, jobs: behind, happenings, logs })).not.toContain(ORDER);
      expect(broken({ calls: twice, requests: late, jobs: behind })).toContain(ORDER);
    });

    test("but not by one that has died before, and was read again", () => {
      const died = { ...letter({ reason: "destination_disabled" }), atMs: 40_300 };
      expect(broken({ calls, requests, deadLetters: [died] })).not.toContain(ORDER);
      expect(broken({ calls, requests, deadLetters: [{ ...died, atMs: 40_950 }] })).toContain(ORDER);
    });

    test("but not by one that was read again where Kafka could not be written to meanwhile", () => {
      const leaders = (atMs: number) => ({
        ...story().plan,
        faults: [{ kind: "leaders", id: "f1", atMs, forMs: 100 } as const],
      });
      const happenings = [...story().happenings, disturbed(40_500)];
      expect(broken({ plan: leaders(40_300), calls, requests, happenings })).not.toContain(ORDER);
      expect(broken({ plan: leaders(40_300), calls, requests })).toContain(ORDER);
      expect(broken({ plan: leaders(39_000), calls, requests, happenings })).toContain(ORDER);
    });

    test("but not by one whose first job was removed, and whose second stands behind the other's", () => {
      const partition = { topic: "delivery-jobs", partition: 0 };
      const removedAt = (atMs: number): Happening[] => [
        ...story().happenings,
        { kind: "removed", atMs, partition, below: 1 },
      ];
      const jobs = [job(0), job(1, { messageId: "m2" }), job(2)];
      expect(broken({ calls, requests, jobs, happenings: removedAt(40_150) })).not.toContain(ORDER);
      expect(broken({ calls, requests, jobs, happenings: removedAt(42_000) })).toContain(ORDER);
      const before = [job(0), job(1), job(2, { messageId: "m2" })];
      expect(broken({ calls, requests, jobs: before, happenings: removedAt(40_150) })).toContain(ORDER);
    });

    test("but not by a call that came while the endpoint was in trouble", () => {
      const probe = request("m2", { behaviour: "resetting" });
      expect(broken({ calls, requests: [probe, first] })).not.toContain(ORDER);
      expect(broken({ calls, requests: [{ ...second, behaviour: "slow" }, first] })).toContain(ORDER);
    });

    test("but not by a call that found the endpoint well again", () => {
      const failed = request("m0", { behaviour: "resetting", startedAtMs: 40_100 });
      expect(broken({ calls, requests: [failed, second, first] })).not.toContain(ORDER);
      const other = { ...failed, process: "deliverer-2" };
      expect(broken({ calls, requests: [other, second, first] })).toContain(ORDER);
      const well = request("m0", { startedAtMs: 40_150 });
      expect(broken({ calls, requests: [failed, well, second, first] })).toContain(ORDER);
    });
  });

  test("a line of level error that no fault explains, and an error that nobody handled", () => {
    const line = {
      atMs: 1,
      process: "deliverer-1",
      level: "error",
      message: "a step threw",
      facts: {},
    } as const;
    expect(broken({ logs: [line] })).toEqual(["no error that no fault explains"]);
    expect(broken({ unhandled: ["TypeError"] })).toEqual(["no error that no fault explains"]);
  });

  test("a call or a job that was removed unread, but for one that somebody says is lost", () => {
    const requests = [request("m1", { status: 500 })];
    const lost = "every stored call is delivered or a dead letter";
    const partition = { topic: "delivery-jobs", partition: 0 };
    const removed: Happening = { kind: "removed", atMs: 40_200, partition, below: 1 };
    const { happenings } = story();
    const committedBefore = [...happenings.slice(0, 3), done(0, 40_150), removed];
    expect(broken({ requests, happenings: committedBefore })).toEqual([lost]);
    const says = said({ ...partition, fromOffset: 0, toOffset: 1 });
    expect(broken({ requests, happenings: committedBefore, logs: [says] })).not.toContain(lost);
    // Nobody had a place in the partition, so nobody can know.
    expect(broken({ requests, happenings: [...happenings.slice(0, 3), removed] })).toEqual([]);
  });

  test("a well webhook that was never asked for a call that another one took, but for one whose job was removed unread", () => {
    const other = `${URL}/other`;
    const well = { kind: "well", fromMs: 1, toMs: 2 } as const;
    const scripts = [URL, other].map((url) => ({ url, usually: well, phases: [] }));
    const plan = { ...story().plan, destinations: [{ ...DESTINATION, urls: [URL, other] }], scripts };
    expect(broken({ plan })).toContain(ASKED);
    expect(broken({ plan, requests: [request("m1"), request("m1", { url: other })] })).not.toContain(ASKED);
    const gone = { topic: "delivery-jobs", partition: 0, fromOffset: 0, toOffset: 1 };
    expect(broken({ plan, logs: [said(gone)] })).not.toContain(ASKED);
  });

  test("a well webhook that was never asked for a call that waited for its place, but until its window is over", () => {
    const other = `${URL}/other`;
    const well = { kind: "well", fromMs: 1, toMs: 2 } as const;
    const scripts = [URL, other].map((url) => ({ url, usually: well, phases: [] }));
    const { plan: before } = story();
    const timing = { ...before.timing, retryDelaysMs: [1_000], retryWindowMs: 5_000 };
    const plan = { ...before, timing, destinations: [{ ...DESTINATION, urls: [URL, other] }], scripts };
    const waits = (unaskedUrls: string[], more: Partial<DeliveryJob> = {}) => {
      const firstAttemptAtMs = EPOCH_MS + 40_200;
      return job(1, {
        diverts: 1,
        firstAttemptAtMs,
        lastChanceUntilMs: null,
        pausedMs: 0,
        unaskedUrls,
        ...more,
      });
    };
    const ended = (waiting: Written<DeliveryJob>, committedAtMs: number) => ({
      plan,
      jobs: [waiting, job(0)],
      happenings: [...story().happenings, done(2, committedAtMs)],
    });
    const windowIsOverMs = 45_200;
    expect(broken(ended(waits([other]), windowIsOverMs))).not.toContain(ASKED);
    expect(broken(ended(waits([]), windowIsOverMs))).toContain(ASKED);
    expect(broken(ended(waits([other]), windowIsOverMs - 1_200))).toContain(ASKED);
    const lastChanceUntilMs = EPOCH_MS + windowIsOverMs + 5_000;
    expect(broken(ended(waits([other], { lastChanceUntilMs }), windowIsOverMs))).toContain(ASKED);
  });

  test("a loss that there was not, or that is counted otherwise than it is said", () => {
    const stretch = { topic: "delivery-jobs", partition: 0, fromOffset: 0, toOffset: 1 };
    const counted = "what was removed unread is counted, and nothing else";
    expect(broken({ logs: [said(stretch)] })).toContain(counted);
    const removed: Happening = { kind: "removed", atMs: 1, partition: stretch, below: 1 };
    const happenings = [...story().happenings, removed];
    const shown = (records: number) => [
      { process: "deliverer-1", topic: "delivery-jobs", counted: records, truncated: 0 },
    ];
    expect(broken({ logs: [said(stretch)], happenings, losses: shown(1) })).not.toContain(counted);
    expect(broken({ logs: [said(stretch)], happenings, losses: shown(2) })).toContain(counted);
    expect(broken({ happenings, losses: shown(1) })).toEqual([counted]);
  });

  test("a loss of what the process has committed itself", () => {
    const stretch = { topic: "delivery-jobs", partition: 0, fromOffset: 0, toOffset: 1 };
    const removed: Happening = { kind: "removed", atMs: 1, partition: stretch, below: 1 };
    const losses = [{ process: "deliverer-1", topic: "delivery-jobs", counted: 1, truncated: 0 }];
    const lost = (...before: Happening[]) =>
      broken({ logs: [said(stretch)], happenings: [...before, removed, ...story().happenings], losses });
    const counted = "what was removed unread is counted, and nothing else";
    expect(lost(done(1, 40_200))).toContain(counted);
    expect(lost(done(0, 40_200))).not.toContain(counted);
    expect(lost({ ...done(1, 40_200), process: "deliverer-2" } as Happening)).not.toContain(counted);
  });

  test("a place that is given up is none, and the next one may be anywhere", () => {
    const { happenings } = story();
    expect(broken({ happenings: [...happenings, done(-2, 40_400), done(1, 40_500)] })).toEqual([]);
  });
});
