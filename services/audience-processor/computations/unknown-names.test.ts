import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";

const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };

/** A user who has done more than a profile counts by name, and one who has not. */
async function setup() {
  const bench = await Bench.with();
  for (let n = 0; n < 200; n += 1) bench.call(callOf({ userId: "many", event: `E${n}`, ...times }));
  bench.call(callOf({ userId: "many", event: "Rare", ...times }));
  await bench.called(callOf({ userId: "few", event: "E1", ...times }));
  bench.worker.advanceTo(NOW_MS);
  const reports = new Reports();
  return { bench, reports, start: () => new Companions(bench, reports) };
}

test("a new audience that asks for a name beyond 200 says that it does not know all calls, and of whom", async () => {
  const { bench, reports, start } = await setup();
  bench.computations.apply("rare", audienceOf("rare", { event: "Rare" }, { updatedAtMs: NOW_MS + 5 }));
  bench.computations.apply("known", audienceOf("known", { event: "E1" }));
  const sync = start();
  await sync.live("rare");
  await sync.live("known");
  expect(reports.of("rare")).toMatchObject({ isPartial: true, coverageFromMs: NOW_MS + 5 });
  expect(reports.of("known")).toMatchObject({ isPartial: false, coverageFromMs: null });
  expect(bench.incomplete).toEqual(["rare"]);
  expect(bench.stateOf("many")).toMatchObject({ incompleteFor: ["rare"], uncounted: 1 });
  expect(bench.stateOf("few")).toMatchObject({ incompleteFor: [], uncounted: 0 });
});

test("it counts all that comes from then on", async () => {
  const { bench, start } = await setup();
  bench.computations.apply("rare", audienceOf("rare", { event: "Rare" }));
  await start().live("rare");
  await bench.called(callOf({ userId: "many", event: "Rare", ...times }));
  expect(bench.sent).toMatchObject([{ user: "many", text: JSON.stringify({ rare: true }) }]);
});
