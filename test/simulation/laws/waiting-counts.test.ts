// The laws of what waits and what is delivered, on stories that a test makes up.
import { expect, test } from "@jest/globals";
import type { DeliveryJob, DeliveryWake } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import type { Happening } from "../world/history.ts";
import { committed, DESTINATION, EMPTY_STORY, request, written } from "./fixtures/empty-story.ts";
import type { Story } from "./story.ts";
import { deliveredWasDelivered, waitingIsCounted } from "./waiting-counts.ts";

const RETRY = "delivery-retry-1s";
const NOTHING: Happening = { kind: "disturbed", atMs: 0, process: "", by: "start" };

function job(place: number, offset: number, more: Partial<DeliveryJob> = {}, topic = "delivery-jobs") {
  const value = {
    ...{ jobId: `job ${offset}`, messageId: `m${offset}`, userId: "u", anonymousId: null, sourceId: "s" },
    ...{
      destinationId: DESTINATION.id,
      type: "track",
      receivedAtMs: 60_000,
      replayId: null,
      unaskedUrls: [],
    },
    ...more,
  };
  return written(value as unknown as DeliveryJob, topic, place, offset);
}

/** Of the only group. */
function told(askedAtPlace: number, calls: number): Happening {
  const group = { sourceId: "s", destinationId: DESTINATION.id, type: "track", minuteMs: 60_000 };
  return { kind: "waiting_told", atMs: 9, askedAtPlace, counts: calls === 0 ? [] : [{ ...group, calls }] };
}

function waits(happenings: readonly Happening[], jobs: Story["jobs"], more: Partial<Story> = {}): number {
  return waitingIsCounted({ ...EMPTY_STORY, plan: drawPlan(1), happenings, jobs, ...more }).length;
}

/** By how many are told to wait, whether the law is broken: 0 to 3. */
function allowed(
  before: readonly Happening[],
  between: readonly Happening[],
  jobs: Story["jobs"],
  more: Partial<Story> = {},
): number[] {
  return [0, 1, 2, 3].filter(
    (calls) => waits([...before, ...between, told(before.length, calls)], jobs, more) === 0,
  );
}

const TWO = [job(0, 0), job(1, 1)];
const WRITTEN = [NOTHING, NOTHING];

test("what was not done before the question, and is not by the answer, waits", () => {
  expect(allowed(WRITTEN, [], TWO)).toEqual([2]);
  expect(allowed([...WRITTEN, committed(1, 1)], [], TWO)).toEqual([1]);
  const ahead = [{ from: 1, to: 2, newestAtMs: 0 }];
  expect(allowed([...WRITTEN, committed(1, 0, { ahead })], [], TWO)).toEqual([1]);
});

test("what is done or written between the two may wait or not", () => {
  expect(allowed(WRITTEN, [committed(1, 1)], TWO)).toEqual([1, 2]);
  expect(allowed([NOTHING], [NOTHING], TWO)).toEqual([1, 2]);
  const lost: Happening = {
    ...{ kind: "commits_lost", atMs: 1, groupId: "deliverer", offset: -1 },
    partition: { topic: "delivery-jobs", partition: 0 },
  };
  expect(allowed([...WRITTEN, committed(1, 2)], [lost], TWO)).toEqual([0, 1, 2]);
});

test("a job counts once; one that a webhook has taken, a replay's, and what was woken or removed do not", () => {
  const hop = job(2, 0, { jobId: "job 0" }, RETRY);
  expect(allowed([...WRITTEN, NOTHING], [], [...TWO, hop])).toEqual([2]);
  const taken = job(2, 0, { jobId: "job 0", unaskedUrls: ["https://other.test"] }, RETRY);
  expect(allowed([...WRITTEN, NOTHING], [], [...TWO, taken])).toEqual([1, 2]);
  expect(allowed(WRITTEN, [], [job(0, 0), job(1, 1, { replayId: "r" })])).toEqual([1]);
  const wake = written(
    { destinationId: DESTINATION.id, belowOffset: 1, atMs: 5 } as DeliveryWake,
    "delivery-wakes",
    2,
  );
  const key = `${DESTINATION.id}:delivery-jobs:0`;
  const wakes = [{ ...wake, record: { ...wake.record, key } }];
  expect(allowed([...WRITTEN, NOTHING], [], TWO, { wakes })).toEqual([1]);
  const partition = { topic: "delivery-jobs", partition: 0 };
  expect(allowed([...WRITTEN, { kind: "removed", atMs: 1, partition, below: 1 }], [], TWO)).toEqual([1]);
});

test("no more may count as delivered than webhooks have taken by then", () => {
  const plan = { ...drawPlan(1), destinations: [DESTINATION] };
  const answered = (messageId: string, status = 200): Happening => ({
    kind: "answered",
    atMs: 1,
    request: request(0, { messageId, userId: "u", status }),
  });
  const [taken, failed] = [answered("m0"), answered("m1", 500)];
  const said = (delivered: number): Happening => ({
    ...{ kind: "settled_told", atMs: 2, process: "control-1", waiting: 0, delivered },
  });
  const broken = (happenings: readonly Happening[]): number =>
    deliveredWasDelivered({ ...EMPTY_STORY, plan, happenings, jobs: TWO }).length;
  expect(broken([taken, failed, said(1)])).toBe(0);
  expect(broken([said(1), taken])).toBe(1);
  expect(broken([taken, taken, failed, said(2)])).toBe(1);
});
