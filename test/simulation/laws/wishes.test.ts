import { describe, expect, test } from "@jest/globals";
import type { Request } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import type { Plan } from "../plan/plan.ts";
import type { Happening, WishStep } from "../world/history.ts";
import { audienceStory } from "./fixtures/audience-story.ts";
import { committed, DESTINATION, request, URL, writtenAt } from "./fixtures/empty-story.ts";
import { jobsAreTakenUpInTime } from "./promptness.ts";
import type { Story, Written } from "./story.ts";
import { doneIsSaid, silenceIsCarriedOut, wishesAreCarriedOut } from "./wishes.ts";

const URLS = [URL, "https://destination.test/2"];
const DELIVERER = { name: "deliverer-1", service: "deliverer", startMs: 0, skewMs: 0 } as const;
const WELL = { kind: "well", fromMs: 1, toMs: 5 } as const;

/** A job as it was put off at 10 s, to be due far later. */
function waiting(more: Partial<DeliveryJob> = {}): Written<DeliveryJob> {
  const value = {
    ...{ jobId: "j1", messageId: "m1", userId: "u1", destinationId: "destination", attempts: 1, diverts: 0 },
    ...{ dueAtMs: 1e15, replayId: null, pausedSinceMs: null },
    ...more,
  };
  const written = writtenAt<DeliveryJob>("delivery-retry-60s", 10_000, value, { process: "deliverer-1" });
  return { ...written, place: 1 };
}

function granted(deed: WishStep["deed"], atMs: number, more: Partial<WishStep> = {}): Happening[] {
  const wish: WishStep = { id: `${deed}@${atMs}`, destinationId: "destination", deed, ...more };
  const tell = (state: "asked" | "granted", toldAtMs: number): Happening => ({
    kind: "wished",
    atMs: toldAtMs,
    state,
    wish,
  });
  return [tell("asked", atMs - 10), tell("granted", atMs)];
}

const disturbed = (atMs: number): Happening => ({
  kind: "disturbed",
  atMs,
  process: "deliverer-1",
  by: "kill",
});

function story(more: Partial<Story>, plan: Partial<Plan> = {}): Story {
  const usual = audienceStory();
  const scripts = URLS.map((url) => ({ url, usually: WELL, phases: [] }));
  return {
    ...usual,
    plan: {
      ...usual.plan,
      destinations: [{ ...DESTINATION, urls: URLS }],
      scripts,
      processes: [DELIVERER],
      ...plan,
    },
    ...{ jobs: [], requests: [], endedAtMs: 150_000 },
    ...more,
  };
}

const isBroken = (law: typeof wishesAreCarriedOut, told: Story): boolean => law(told).length > 0;

describe("a wish that was granted is carried out", () => {
  const asked = { jobs: [waiting()], happenings: granted("retry", 30_000) };

  test("what waits is asked for within twenty seconds", () => {
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, requests: [request(49_000)] }))).toBe(false);
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, requests: [request(51_000)] }))).toBe(true);
    expect(isBroken(wishesAreCarriedOut, story(asked))).toBe(true);
  });

  test("time in which a deliverer was disturbed does not count", () => {
    const happenings = [...granted("retry", 30_000), disturbed(32_000)];
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings, requests: [request(65_000)] }))).toBe(
      false,
    );
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings, requests: [request(75_000)] }))).toBe(
      true,
    );
  });

  test("only what is meant, and waits", () => {
    const others = granted("retry", 30_000, { messageIds: ["m2"] });
    const ofOthers = granted("retry", 30_000, { userId: "u2" });
    const ofIt = granted("retry", 30_000, { messageIds: ["m1"], userId: "u1" });
    for (const happenings of [others, ofOthers])
      expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings }))).toBe(false);
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings: ofIt }))).toBe(true);
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, requests: [request(20_000)] }))).toBe(false);
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings: granted("retry", 12_000) }))).toBe(
      false,
    );
  });

  test("not what was in hand when it was asked for, came to its end while its destination was off, or failed later by its own clock", () => {
    const inHand = request(28_000, { answeredAtMs: 33_000, status: 500 });
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, requests: [inHand] }))).toBe(false);
    const off = [
      ...granted("switch_off", 21_000),
      ...granted("switch_on", 25_000),
      ...granted("retry", 30_000),
    ];
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings: off }))).toBe(false);
    const before = [
      ...granted("switch_off", 5_000),
      ...granted("switch_on", 6_000),
      ...granted("retry", 30_000),
    ];
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings: before }))).toBe(true);
    const ahead = waiting({ failedAtMs: EPOCH_MS + 60_000 });
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, jobs: [ahead] }))).toBe(false);
    const lately = (failedAtMs: number) => ({ ...waiting({ failedAtMs }), atMs: 29_000 });
    const broken = (failedAtMs: number): boolean =>
      isBroken(wishesAreCarriedOut, story({ ...asked, jobs: [waiting(), lately(failedAtMs)] }));
    expect([broken(EPOCH_MS + 60_000), broken(EPOCH_MS + 29_000)]).toEqual([false, true]);
  });

  test("not what stands behind the new beginning of its log", () => {
    const job = waiting();
    const jobs = [{ ...job, record: { ...job.record, offset: 5 } }];
    const removed = (below: number): Happening => ({
      kind: "removed",
      atMs: 21_000,
      partition: job.record,
      below,
    });
    const broken = (below: number): boolean =>
      isBroken(
        wishesAreCarriedOut,
        story({ jobs, happenings: [removed(below), ...granted("retry", 30_000)] }),
      );
    expect([broken(3), broken(0)]).toEqual([false, true]);
  });

  test("what is taken back, or meets an endpoint in trouble, need not be", () => {
    const happenings = [...granted("resume", 30_000), ...granted("pause", 45_000)];
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings }))).toBe(false);
    const phases = [{ id: "e1", startMs: 20_000, endMs: 40_000, behaviour: { kind: "hanging" } as const }];
    const scripts = [{ url: URL, usually: WELL, phases }];
    expect(isBroken(wishesAreCarriedOut, story(asked, { scripts }))).toBe(false);
  });

  test("nor while what was sent before it is still to fail, which may open the endpoint's breaker", () => {
    // Seed 121067952: the endpoint is well again a moment before a resume, and two requests still hang.
    const broken = (startedAtMs: number, more: Partial<Request>): boolean =>
      isBroken(
        wishesAreCarriedOut,
        story({ ...asked, requests: [request(startedAtMs, { messageId: "m2", ...more })] }),
      );
    const hanging = { behaviour: "hanging", answeredAtMs: undefined } as const;
    expect([broken(25_000, hanging), broken(24_980, hanging)]).toEqual([false, true]);
    expect(broken(29_980, { answeredAtMs: 29_995 })).toBe(true);
  });

  test("what waits for a deleted destination has to end, whatever its endpoint is like", () => {
    const happenings = granted("delete", 30_000);
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings }))).toBe(true);
    const failed = request(35_000, { status: 500 });
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings, requests: [failed] }))).toBe(true);
    const deadLetters = [{ ...waiting(), atMs: 36_000 }] as unknown as Story["deadLetters"];
    expect(isBroken(wishesAreCarriedOut, story({ ...asked, happenings, deadLetters }))).toBe(false);
  });
});

describe("nothing is sent against a wish that was granted", () => {
  const sent = (happenings: readonly Happening[], ...requests: readonly Request[]) =>
    isBroken(silenceIsCarriedOut, story({ happenings, requests }));

  test.each(["pause", "switch_off", "delete"] as const)("of %s", (deed) => {
    expect(sent(granted(deed, 30_000), request(31_000))).toBe(false);
    expect(sent(granted(deed, 30_000), request(34_000))).toBe(true);
    expect(sent([...granted(deed, 30_000), disturbed(29_500)], request(34_000))).toBe(false);
  });

  test("until it is taken back", () => {
    expect(sent([...granted("pause", 30_000), ...granted("resume", 40_000)], request(41_000))).toBe(false);
    expect(sent([...granted("switch_off", 30_000), ...granted("switch_on", 40_000)], request(41_000))).toBe(
      false,
    );
  });

  test("of other webhooks nothing goes to those that are gone", () => {
    const happenings = granted("other_webhooks", 30_000);
    expect(sent(happenings, request(34_000))).toBe(false);
    expect(sent(happenings, request(34_000, { url: URLS[1] ?? "" }))).toBe(true);
  });
});

describe("a job is taken up soon after it is due", () => {
  const due = (more: Partial<Story>) => isBroken(jobsAreTakenUpInTime, story({ jobs: [first], ...more }));
  const record = { ...waiting().record, topic: "delivery-jobs" };
  const first = { ...waiting({ attempts: 0, dueAtMs: 0 }), record };

  test("within twenty seconds in which nothing hinders", () => {
    expect(due({ requests: [request(29_000)] })).toBe(false);
    expect(due({ requests: [request(31_000)] })).toBe(true);
    expect(due({ requests: [request(45_000)], happenings: [disturbed(15_000)] })).toBe(false);
    expect(due({})).toBe(true);
  });

  test("or is put off once more, or has ended before", () => {
    const again = { ...waiting(), atMs: 12_000, place: 9 };
    expect(due({ jobs: [first, { ...again, value: { ...again.value, dueAtMs: 1e15 } }] })).toBe(false);
    expect(due({ requests: [request(9_000)] })).toBe(false);
    expect(due({ requests: [request(9_999, { answeredAtMs: 10_400 })] })).toBe(false);
    expect(due({ deadLetters: [{ ...waiting(), atMs: 11_000 }] as unknown as Story["deadLetters"] })).toBe(
      false,
    );
  });
});

describe("a retry is said to be done when it is", () => {
  const asked = { jobs: [waiting()], happenings: granted("retry", 30_000) };
  const said = (atMs: number): Happening[] => {
    const [, answer] = granted("retry", 30_000);
    return answer?.kind === "wished" ? [{ ...answer, atMs, state: "said_done" }] : [];
  };
  const saidAt = (atMs: number) => ({ ...asked, happenings: [...asked.happenings, ...said(atMs)] });
  const two = [DELIVERER, { ...DELIVERER, name: "control-1", service: "control" } as const];
  const told = (more: Partial<Story>) => story(more, { processes: two });

  test("not before what it means is asked for", () => {
    expect(isBroken(doneIsSaid, told({ ...saidAt(33_000), requests: [request(34_000)] }))).toBe(false);
    expect(isBroken(doneIsSaid, told({ ...saidAt(33_000), requests: [request(40_000)] }))).toBe(true);
    expect(isBroken(doneIsSaid, told(saidAt(33_000)))).toBe(true);
  });

  test("and then it is, where nobody is hindered", () => {
    const done = { ...asked, requests: [request(31_000)] };
    expect(isBroken(doneIsSaid, told(done))).toBe(true);
    const again = [...asked.happenings, ...granted("retry", 40_000, { id: "again" })];
    expect(doneIsSaid(told({ ...done, happenings: again })).map(({ what }) => what.split(",")[0])).toEqual([
      "again was granted at 40000 ms",
    ]);
    // Seed 121043847: who is granted it has not read yet that the destination is deleted.
    const deleted = [...granted("delete", 29_000), ...asked.happenings];
    expect(isBroken(doneIsSaid, told({ ...done, happenings: deleted }))).toBe(false);
    const hindered = (process: string): Happening[] =>
      [40_000, 60_000, 80_000, 100_000, 120_000].map(
        (atMs) => ({ ...disturbed(atMs), process }) as Happening,
      );
    for (const process of ["deliverer-1", "control-1"]) {
      const happenings = [...asked.happenings, ...hindered(process)];
      expect(isBroken(doneIsSaid, told({ ...done, happenings }))).toBe(false);
    }
  });

  test("unless retention has removed what a reader may hold: no pass sees that", () => {
    const { record } = waiting();
    const removed = { kind: "removed", atMs: 29_000, partition: record, below: 3 } as const;
    const done = (atMs: number, offset: number): Happening => committed(atMs, offset, { partition: record });
    const broken = (...happenings: Happening[]): boolean =>
      isBroken(
        doneIsSaid,
        told({ ...asked, requests: [request(31_000)], happenings: [...happenings, ...asked.happenings] }),
      );
    expect(broken(removed)).toBe(false);
    expect(broken(done(28_000, 2), removed, done(29_500, 2))).toBe(false);
    expect(broken(done(28_000, 3), removed)).toBe(true);
    expect(broken(removed, done(29_500, 3))).toBe(true);
  });
});
