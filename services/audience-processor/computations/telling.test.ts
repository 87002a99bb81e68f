// In which order accounts learn of their members when a condition on these is new.
import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";
import { profileEventsOf } from "../keying/profile-events.ts";

const BUYERS = audienceOf("buyers", { event: "A" });
const PAYING = audienceOf("paying", { of: "accounts", members: { audience: "buyers" } });

/** Two users of one account, one of whom is a buyer; the condition on members is new. */
async function setup({ isAudienceNew = false } = {}) {
  const bench = await Bench.with();
  const reports = new Reports();
  bench.worker.advanceTo(NOW_MS);
  const companions = new Companions(bench, reports, {
    partitions: 2,
    perSecond: isAudienceNew ? 10 : 100_000,
  });
  if (!isAudienceNew) {
    bench.computations.apply("buyers", BUYERS);
    await companions.live("buyers");
  }
  const at = { receivedAtMs: NOW_MS - 10, timestampMs: NOW_MS - 10, body: { context: { groupId: "acme" } } };
  // Enough that their evaluation takes longer than it takes to tell of them.
  const further = Array.from({ length: isAudienceNew ? 60 : 0 }, (_, at) => `buyer-${at}`);
  for (const call of [
    ...["buyer", ...further].map((userId) => callOf({ userId, event: "A", ...at })),
    callOf({ userId: "other", event: "B", ...at }),
  ])
    for (const { event, profileId } of profileEventsOf(call, true)) bench.happen(profileId, event);
  await bench.settled();
  if (isAudienceNew) bench.computations.apply("buyers", BUYERS);
  bench.computations.apply("paying", PAYING);
  const isLeaf = ({ id }: { id: string }) => id.startsWith("leaf:");
  const own = () => reports.reported.findLast((one) => isLeaf(one) && one.partition === 0);
  await companions.advanceUntil(() => own() !== undefined);
  /** The other partition's owner says so of the condition. */
  const otherIs = (state: "preparing" | "counted", life = 0): void => {
    const known = own();
    if (known !== undefined) reports.reported.push({ ...known, partition: 1, state, generation: life });
  };
  const advance = async (): Promise<void> => {
    for (let look = 0; look < 10; look += 1) await companions.advance();
    await bench.settled();
  };
  return { advance, bench, companions, otherIs, own, reports };
}

/** What accounts have learned about users. */
const told = ({ passedOn }: Bench): string[] =>
  passedOn.map(({ event, profileId }) => `${profileId}: ${event.memberId} ${event.audienceKeys}`);

test("nobody is told before every partition has begun to keep what it is told", async () => {
  const { advance, bench, otherIs, own } = await setup();
  await advance();
  expect([told(bench), own()?.state]).toEqual([[], "preparing"]);
  otherIs("preparing");
  await advance();
  expect(told(bench)).toEqual(["group:acme: buyer buyers"]);
  expect(own()?.state).toBe("counted");
});

test("a condition that another partition begins anew while users are told is told again, in its next life", async () => {
  const { advance, bench, otherIs, own, reports } = await setup();
  const sending = Promise.withResolvers<void>();
  bench.sendHeld = sending.promise;
  otherIs("preparing");
  await advance();
  otherIs("preparing", 1);
  await advance();
  expect(own()?.state).toBe("deleted");
  bench.sendHeld = undefined;
  sending.resolve();
  await advance();
  const said = reports.all(own()?.id ?? "").filter(({ partition }) => partition === 0);
  expect([...new Set(said.map(({ generation, state }) => `${state} ${generation}`))]).toEqual([
    "preparing 0",
    "deleted 0",
    "preparing 1",
    "counted 1",
  ]);
  expect(told(bench)).toHaveLength(2);
});

test("nothing is sent of the account before every partition has told its users", async () => {
  const { advance, bench, companions, otherIs, reports } = await setup();
  otherIs("preparing");
  await advance();
  for (const { event, profileId } of bench.passedOn) bench.happen(profileId ?? "", event);
  await advance();
  const shown = () => bench.produced.filter(({ value }) => value?.includes('"paying"') === true);
  expect([shown(), reports.of("paying")?.state]).toEqual([[], "preparing"]);
  otherIs("counted");
  await companions.live("paying");
  expect(shown()).toHaveLength(1);
});

test("a partition has told its users when the audience has evaluated all of them, not before", async () => {
  const { bench, companions, otherIs, own, reports } = await setup({ isAudienceNew: true });
  otherIs("preparing");
  await companions.advanceUntil(() => own()?.state === "counted");
  await bench.settled();
  const place = (isIt: (id: string, state: string) => boolean): number =>
    reports.reported.findIndex(({ id, partition, state }) => partition === 0 && isIt(id, state));
  const evaluated = place((id, state) => id === "buyers" && state === "live");
  const counted = place((id, state) => id.startsWith("leaf:") && state === "counted");
  expect(evaluated).toBeGreaterThanOrEqual(0);
  expect(counted).toBeGreaterThan(evaluated);
  expect(told(bench)).toContain("group:acme: buyer buyers");
});
