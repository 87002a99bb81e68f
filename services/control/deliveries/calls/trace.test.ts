import { describe, expect, test } from "@jest/globals";
import { attempt, deadLetter, job, routedCall, START_MS } from "#support/records";
import { placeOf } from "../../records/places/places.ts";
import type { WaitingJob } from "../waiting/waiting-job.ts";
import { trace } from "./fixtures/trace.ts";
import { callState, hadJob, isSentAgain, stillWaiting, whyPassedOver } from "./trace.ts";

function waiting(changes: Partial<WaitingJob["job"]> = {}): WaitingJob {
  return { place: { topic: 1, partition: 0, offset: 0 }, topicName: "retry", job: job(changes) };
}

const listed = (changes: Parameters<typeof attempt>[0]) => ({ ...attempt(changes), place: 1 });
const success = (startedAtMs: number, number = 1) =>
  listed({ outcome: "success", startedAtMs, attempt: number });
const letter = (deadAtMs: number) => ({
  ...deadLetter({ deadAtMs }),
  place: 1,
  replayable: true,
  issueIds: [],
});

describe("how a call stands at a destination", () => {
  test.each([
    { state: "no_trace", of: trace() },
    { state: "passed_over", of: trace({ passedOver: "filter_off" }) },
    // A replay has sent it all the same.
    { state: "under_way", of: trace({ attempts: [listed({})], passedOver: "filter_off" }) },
    { state: "under_way", of: trace({ attempts: [listed({})] }) },
    // Of successes only a sample is recorded.
    { state: "delivered", of: trace({ isSettled: true }) },
    { state: "delivered", of: trace({ isSettled: true, attempts: [listed({})] }) },
    { state: "queued", of: trace({ isRouted: true }) },
    { state: "queued", of: trace({ isRouted: true }) },
    { state: "dead", of: trace({ isSettled: true, deadLetters: [letter(START_MS)] }) },
    { state: "queued", of: trace({ isSettled: true, waiting: [waiting()] }) },
    { state: "queued", of: trace({ waiting: [waiting()] }) },
    { state: "waiting", of: trace({ attempts: [listed({})], waiting: [waiting({ dueAtMs: 1 })] }) },
    { state: "paused", of: trace({ waiting: [waiting({ dueAtMs: 1, pausedSinceMs: 1 })] }) },
    { state: "delivered", of: trace({ attempts: [listed({}), success(START_MS)] }) },
    { state: "dead", of: trace({ attempts: [listed({})], deadLetters: [letter(START_MS)] }) },
    {
      state: "delivered",
      of: trace({ deadLetters: [letter(START_MS)], attempts: [success(START_MS + 1)] }),
    },
    { state: "dead", of: trace({ deadLetters: [letter(START_MS + 1)], attempts: [success(START_MS)] }) },
    {
      state: "delivered",
      of: trace({ isSettled: true, isSentAgain: true, deadLetters: [letter(START_MS)] }),
    },
    // Where its job waits is not known: nobody is to send it once more.
    { state: "queued", of: trace({ isSentAgain: true, deadLetters: [letter(START_MS)] }) },
  ])("is $state", ({ of, state }) => {
    expect(callState(of)).toBe(state);
  });
});

describe("a call that died was sent again", () => {
  const first = { ...letter(START_MS), id: "first" };
  const second = { ...letter(START_MS + 1), id: "second", replayId: "rpl_1" };
  const sentBy =
    (by: Readonly<Record<string, readonly string[]>>) =>
    ({ id }: { readonly id: string }) =>
      by[id] ?? [];

  test("when a replay has sent its newest dead letter", () => {
    expect(isSentAgain([], sentBy({}))).toBe(false);
    expect(isSentAgain([first], sentBy({}))).toBe(false);
    expect(isSentAgain([first], sentBy({ first: ["rpl_1"] }))).toBe(true);
    expect(isSentAgain([first, second], sentBy({ first: ["rpl_1"], second: ["rpl_2"] }))).toBe(true);
  });

  test("but not when that replay's job has died, whatever the clocks say", () => {
    expect(isSentAgain([first, second], sentBy({ first: ["rpl_1"] }))).toBe(false);
    expect(isSentAgain([second, first], sentBy({ first: ["rpl_1"] }))).toBe(false);
  });
});

describe("a record that is not committed yet", () => {
  test("waits no more when its job was delivered, or has died", () => {
    const job = waiting({ attempts: 1, dueAtMs: 1 });
    expect(stillWaiting(trace({ waiting: [job], attempts: [success(START_MS, 2)] }))).toEqual([]);
    expect(stillWaiting(trace({ waiting: [job], deadLetters: [letter(START_MS)] }))).toEqual([]);
  });

  test("waits when what was delivered is an earlier job of the call, or a webhook is still to be asked", () => {
    const replayed = waiting({ jobId: "j2" });
    expect(stillWaiting(trace({ waiting: [replayed], attempts: [success(START_MS)] }))).toEqual([replayed]);
    const asking = waiting({ unaskedUrls: ["https://a.test/"] });
    expect(stillWaiting(trace({ waiting: [asking], attempts: [success(START_MS)] }))).toEqual([asking]);
  });
});

describe("why a call was not meant for a destination", () => {
  const said = (changes: Parameters<typeof routedCall>[0]) => ({
    ...routedCall(changes),
    place: 1,
    callPlace: placeOf(routedCall(changes)),
  });
  const filtered = said({ passedOver: [{ destinationId: "d2", reason: "filter_off" }] });
  const copy = said({ outcome: "duplicate", destinationIds: [] });

  test("is what was said of it, whatever copies came", () => {
    expect(whyPassedOver("d2", [filtered, copy])).toBe("filter_off");
    expect(whyPassedOver("d1", [filtered, copy])).toBeNull();
  });

  test("is that the router did not know it, when nothing was said", () => {
    expect(whyPassedOver("d3", [filtered])).toBe("not_connected");
    expect(whyPassedOver("d1", [said({ outcome: "no_destination", destinationIds: [] })])).toBe(
      "not_connected",
    );
  });

  test("is not known of a call of which nothing is recorded, or only a copy", () => {
    expect(whyPassedOver("d1", [])).toBeNull();
    expect(whyPassedOver("d1", [copy])).toBeNull();
  });

  test("does not count when another user's call with the messageId was meant for it", () => {
    expect(whyPassedOver("d2", [said({ destinationIds: ["d2"] }), filtered])).toBeNull();
  });
});

describe("a call had a job at a destination", () => {
  const routed = routedCall({ partition: 3, offset: 7, destinationIds: ["d1"] });
  const accepted = [{ ...routed, place: 1, callPlace: placeOf(routed) }];

  test("when the routers have committed it, not before, and where it was tried", () => {
    expect(hadJob("d1", { accepted, attempts: [] }, new Map([[3, 8]]))).toBe(true);
    expect(hadJob("d1", { accepted, attempts: [] }, new Map([[3, 7]]))).toBe(false);
    expect(hadJob("d1", { accepted, attempts: [] }, new Map())).toBe(false);
    expect(hadJob("d2", { accepted, attempts: [] }, new Map([[3, 8]]))).toBe(false);
    expect(hadJob("d1", { accepted: [], attempts: [listed({})] }, new Map())).toBe(true);
  });
});
