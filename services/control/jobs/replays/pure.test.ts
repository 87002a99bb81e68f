import { describe, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import { deadLetter, START_MS } from "#support/records";
import { listed } from "../../deliveries/dead-letters/fixtures/listed-dead-letter.ts";
import { replaysOf } from "../../deliveries/dead-letters/selection.ts";
import type { ListedDeadLetter } from "../../deliveries/index/dead-letters-table.ts";
import { placeOf } from "../../records/places/places.ts";
import { cursorAt, sentUpTo } from "../../records/replays/cursor.ts";
import { replay } from "../../records/replays/fixtures/replay.ts";
import { LastIds } from "../id-set.ts";
import { againOf, jobOf, withinWidth } from "./job.ts";
import { paceOf } from "./pace.ts";
import { replayProblems, withDestination } from "./request.ts";

const REPLAY = { id: "rpl_1", toDestinationId: null };

describe("a dead letter as a job again", () => {
  test("keeps what the call is, with a new id and its window before it", () => {
    const letter = deadLetter({ attempts: 13 });
    expect(jobOf(letter, REPLAY)).toEqual({
      jobId: replayJobId("j1", "rpl_1"),
      destinationId: "d1",
      shard: 2,
      messageId: "m1",
      sourceId: "s1",
      userId: "u1",
      anonymousId: null,
      type: "track",
      receivedAtMs: START_MS - 1_000,
      attempts: 0,
      diverts: 0,
      replayId: "rpl_1",
      firstAttemptAtMs: null,
      dueAtMs: 0,
      visibleAtMs: 0,
      failedAtMs: null,
      lastChanceUntilMs: null,
      pausedSinceMs: null,
      pausedMs: 0,
      destinationPausedMs: null,
      unaskedUrls: [],
      outcomes: [],
      body: letter.body,
    });
  });

  test("is another one for each user where several users' letters share an id, as in versions before", () => {
    const nobody = { userId: null, anonymousId: null };
    const ofUser = (userId: string) => ({ ...nobody, body: Buffer.from(JSON.stringify({ userId })) });
    const letters = ["u1", "u2", "u2"].map((userId) => deadLetter(ofUser(userId)));
    expect(new Set(letters.map((letter) => jobOf(letter, REPLAY)?.jobId)).size).toBe(2);
    const job = jobOf(deadLetter(), REPLAY);
    if (job === undefined) throw new Error("it is a job");
    const again = ["u1", "u2"].map((userId) => againOf({ ...job, ...ofUser(userId) }, REPLAY));
    expect(new Set(again.map(({ jobId }) => jobId)).size).toBe(2);
    expect(again.map(({ userId }) => userId)).toEqual(["u1", "u2"]);
  });

  test("goes to another destination when the replay says so, of a letter whose own was deleted too", () => {
    const letter = deadLetter({ destinationId: "d_deleted", reason: "destination_gone" });
    const job = jobOf(letter, { id: "rpl_1", toDestinationId: "d2" });
    expect(job).toMatchObject({ destinationId: "d2", messageId: letter.messageId, body: letter.body });
  });

  test("goes to a shard that its destination has now (contract 4.4)", () => {
    const job = jobOf(deadLetter(), REPLAY);
    if (job === undefined) throw new Error("it is a job");
    const wide = { maxRequestsPerSecond: null, maxInFlight: null, shardWidth: null };
    expect(withinWidth(job, wide).shard).toBe(2);
    expect(withinWidth(job, { ...wide, maxInFlight: 1 }).shard).toBe(0);
    expect(withinWidth(job, undefined)).toBe(job);
  });

  test("is none when its record could not be read", () => {
    for (const part of ["destinationId", "sourceId", "messageId", "type", "receivedAtMs"] as const)
      expect(jobOf(deadLetter({ [part]: null }), REPLAY)).toBeUndefined();
  });
});

describe("the pace", () => {
  test.each([
    [null, null, 50, 250],
    [100, null, 25, 250],
    [100, 20, 5, 250],
    [null, 1, 1, 1_000],
    [0.5, null, 1, 2_000],
    [10_000, null, 250, 25],
  ])("of %p a second asked for and %p taken is %p calls every %p ms", (asked, taken, calls, everyMs) => {
    expect(paceOf(asked, taken)).toEqual({ calls, everyMs });
  });
});

describe("what a replay has sent again", () => {
  const sent = (letter: Partial<ListedDeadLetter>, changes: Parameters<typeof replay>[0]) =>
    replaysOf(listed(letter), [replay(changes)]).length === 1;
  const cursor = "1:10";

  test("is what it means, up to its cursor", () => {
    expect(sent({}, { cursor: null })).toBe(false);
    expect(sent({}, { cursor: "1:9" })).toBe(false);
    expect(sent({}, { cursor })).toBe(true);
    expect(sent({}, { cursor: "0:50" })).toBe(false);
    expect(sentUpTo({ cursor: cursorAt(placeOf({ partition: 3, offset: 7 })) })).toBe(
      placeOf({ partition: 3, offset: 7 }),
    );
  });

  test("is not what died later, is of others, or is no call", () => {
    expect(sent({}, { cursor, ends: [100, 10] })).toBe(false);
    expect(sent({ destinationId: "d2" }, { cursor })).toBe(false);
    expect(sent({ replayable: false }, { cursor })).toBe(false);
    expect(sent({}, { cursor, reason: "window_over" })).toBe(false);
    expect(sent({}, { cursor, fromMs: START_MS + 1 })).toBe(false);
    expect(sent({}, { cursor, toMs: START_MS })).toBe(false);
    expect(sent({ issueIds: ["iss_1"] }, { cursor, issueId: "iss_2" })).toBe(false);
    expect(sent({ issueIds: ["iss_1"] }, { cursor, issueId: "iss_1" })).toBe(true);
    expect(sent({}, { cursor, reason: "permanent", fromMs: START_MS, toMs: START_MS + 1 })).toBe(true);
  });

  test("is what was named", () => {
    expect(sent({}, { cursor, ids: ["j1"], destinationId: null })).toBe(true);
    expect(sent({}, { cursor, ids: ["j2"], destinationId: null })).toBe(false);
  });
});

describe("a request for a replay", () => {
  const known = {
    nowMs: Date.parse("2026-02-01"),
    destination: (id: string) =>
      ({ d1: { enabled: true, sourceIds: [] }, off: { enabled: false, sourceIds: [] } })[id],
    deadLetter: (id: string) =>
      ({
        j1: listed(),
        raw: listed({ replayable: false, reason: "undecodable", destinationId: null }),
        gone: listed({ destinationId: "deleted" }),
      })[id],
    issue: (id: string) => ({ iss_1: { destinationId: "d1" } })[id],
  };
  const problemsOf = (body: object) =>
    replayProblems(withDestination(body, known), known).map(({ path, message }) => `${path}: ${message}`);

  test.each([
    { ids: ["j1"] },
    { ids: ["gone"], destinationId: "d1" },
    { destinationId: "deleted", toDestinationId: "d1" },
    { destinationId: "d1" },
    { issueId: "iss_1" },
    { issueId: "iss_1", destinationId: "d1", reason: "permanent" },
    { destinationId: "d1", from: "2026-01-01", to: "2026-01-02T00:00:00Z", reason: "permanent" },
  ])("%j is taken", (body) => expect(problemsOf(body)).toEqual([]));

  test.each<[object, string[]]>([
    [{}, ["ids: is required, or destinationId or issueId"]],
    [{ callsPerSecond: 5 }, ["ids: is required, or destinationId or issueId"]],
    [
      { ids: ["j1"], toDestinationId: "d1", reason: "permanent", from: "2026-01-01", to: "2026-01-02" },
      ["toDestinationId", "reason", "from", "to"].map((path) => `${path}: cannot be given beside ids`),
    ],
    [{ issueId: "iss_2" }, ["issueId: there is no issue iss_2"]],
    [{ issueId: "iss_1", destinationId: "d2" }, ["issueId: is not an issue of destination d2"]],
    [{ ids: ["j1"], issueId: "iss_1" }, ["issueId: cannot be given beside ids"]],
    [{ ids: ["j1", "j2"] }, ["ids[1]: there is no such dead letter"]],
    [
      { ids: ["raw"] },
      ["ids[0]: cannot be replayed: its record could not be read (undecodable), so there is no call"],
    ],
    [{ ids: ["gone"] }, ["ids[0]: there is no destination deleted; name another one that gets the calls"]],
    [
      { ids: ["gone"], destinationId: "off" },
      ["destinationId: destination off is switched off: switch it on first"],
    ],
    [
      { destinationId: "deleted" },
      ["destinationId: there is no destination deleted; name another one that gets the calls"],
    ],
    [
      { destinationId: "deleted", toDestinationId: "none" },
      ["toDestinationId: there is no destination none; name another one that gets the calls"],
    ],
    [{ destinationId: "off" }, ["destinationId: destination off is switched off: switch it on first"]],
    [{ destinationId: "d1", from: "tomorrow" }, ["from: is not an ISO 8601 time"]],
    [{ destinationId: "d1", from: "2026-01-02", to: "2026-01-02" }, ["to: must be later than from"]],
    [
      { destinationId: "d1", from: "2026-02-02" },
      ["from: must not be in the future: nothing has happened there"],
    ],
  ])("%j is refused, every reason named", (body, problems) => expect(problemsOf(body)).toEqual(problems));
});

test("of ids that come one after the other the last ones are known, and not all", () => {
  const last = new LastIds(3);
  const ids = Array.from({ length: 20 }, (_, number) => `id${number}`);
  for (const id of ids) last.add(id);
  expect(ids.filter((id) => last.has(id))).toEqual(ids.slice(15));
});
