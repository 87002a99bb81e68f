import { expect, test } from "@jest/globals";
import { MAX_TRAITS } from "#audiences";
import { profileEvent } from "#topics";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";

const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };
const MORE = audienceOf("more", { trait: "more", op: "exists" });
const identify = (traits: object) => callOf({ ...times, userId: "u", type: "identify", body: { traits } });

async function setup(): Promise<Bench> {
  const bench = await Bench.with(MORE);
  bench.call(
    identify(Object.fromEntries(Array.from({ length: MAX_TRAITS }, (_, index) => [`t${index}`, 1]))),
  );
  await bench.called(identify({ more: 1 }));
  return bench;
}

test("a profile that leaves something out is counted once, is so for its next owner, and is not any more once it is deleted", async () => {
  const bench = await setup();
  expect(bench.incomplete).toEqual(["more"]);
  bench.newWorker();
  await bench.called(identify({ more: 2 }));
  expect(bench.incomplete).toEqual(["more"]);
  expect(bench.stateOf("u")?.incompleteFor).toEqual(["more"]);
  await bench.happened("u", profileEvent("delete", { deletedAtMs: NOW_MS }));
  expect(bench.incomplete).toEqual(["more", "not more"]);
});

test("once the audience is deleted nothing is kept of that", async () => {
  const bench = await setup();
  bench.worker.advanceTo(NOW_MS);
  const reports = new Reports();
  const sync = new Companions(bench, reports);
  bench.computations.apply("more", { ...MORE, deletedAtMs: NOW_MS });
  await sync.advanceUntil(() => reports.of("more")?.state === "deleted");
  expect(bench.incomplete).toEqual(["more", "not more"]);
  expect(bench.stateOf("u")?.incompleteFor).toEqual([]);
});

test("what is given back and folded again counts once", async () => {
  const bench = await setup();
  await bench.happened("u", profileEvent("delete", { deletedAtMs: NOW_MS }));
  bench.store.isOurs = false;
  const later = { receivedAtMs: NOW_MS + 1, timestampMs: NOW_MS + 1 };
  const traits = Object.fromEntries(Array.from({ length: MAX_TRAITS + 1 }, (_, index) => [`t${index}`, 1]));
  const full = { ...identify({ ...traits, more: 1 }), ...later };
  const given = await bench.called(full);
  expect(bench.ended.at(-1)).toBe(`back ${given}`);
  bench.store.isOurs = true;
  bench.again(given);
  await bench.settled();
  expect(bench.incomplete).toEqual(["more", "not more", "more"]);
});
