import { describe, expect, test } from "@jest/globals";
import { progressOf } from "./fixtures/progress.ts";
import { audienceStatus } from "./status.ts";

const wanted = { generation: 2, isPaused: false, updatedAtMs: 0 };
const pace = { nowMs: 0, eventsPerSecond: 4 };
const counts = (
  partitionsDone: number,
  profiles: number[],
  events: number[],
  remainingSeconds: number | null,
) => ({
  ...{ partitionsDone, partitions: 2, profilesDone: profiles[0], profilesTotal: profiles[1] },
  ...{ eventsDone: events[0], eventsTotal: events[1], remainingSeconds },
});
const of = (partition: number, more = {}) => progressOf("aud_1", partition, { generation: 2, ...more });

describe("the status of an audience (contract 10.8)", () => {
  test("it is preparing until every partition is live", () => {
    expect(audienceStatus(wanted, [undefined, undefined], pace)).toMatchObject({
      status: "preparing",
      progress: counts(0, [0, 0], [0, 0], null),
      members: 0,
    });
    const half = [
      of(0, { members: 3, incompleteProfiles: 2 }),
      of(1, {
        state: "preparing",
        profilesDone: 4,
        eventsDone: 5,
        eventsTotal: 9,
        members: 1,
        incompleteProfiles: 1,
      }),
    ];
    expect(audienceStatus(wanted, half, pace)).toMatchObject({
      status: "preparing",
      // Four events at four a second, and ten profiles.
      progress: counts(1, [14, 20], [5, 9], 2),
      members: 4,
      incompleteProfiles: 3,
    });
    expect(audienceStatus(wanted, [of(0), of(1)], pace)).toMatchObject({ status: "live", progress: null });
  });

  test("a partition that is live with the definition before counts as not begun, and its members count", () => {
    const before = of(1, { generation: 1, members: 7, isPartial: true, coverageFromMs: 5 });
    expect(audienceStatus(wanted, [of(0, { members: 1 }), before], pace)).toEqual({
      status: "preparing",
      progress: counts(1, [10, 10], [0, 0], 1),
      coverageFromMs: null,
      isPartial: false,
      members: 8,
      incompleteProfiles: 0,
    });
  });

  test("it covers what every partition covers", () => {
    const partitions = [of(0, { isPartial: true, coverageFromMs: 100 }), of(1, { coverageFromMs: 200 })];
    expect(audienceStatus(wanted, partitions, pace)).toMatchObject({ isPartial: true, coverageFromMs: 200 });
  });

  test("paused is said as soon as it was asked for; resumed, it is preparing until every partition has seen it", () => {
    const paused = [of(0, { isPaused: true }), of(1)];
    expect(audienceStatus({ ...wanted, isPaused: true }, paused, pace)).toMatchObject({
      status: "paused",
      progress: null,
    });
    expect(audienceStatus(wanted, paused, pace)).toMatchObject({
      status: "preparing",
      progress: { partitionsDone: 1 },
    });
  });
});
