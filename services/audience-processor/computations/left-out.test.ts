import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { Companions, Reports } from "../fixtures/companions.ts";
import { LeftOutReporter } from "./left-out.ts";

const leftOut = (id: string) => ({ config: audienceOf(id, { audience: "gone" }), problem: "gone" });

test("what is left out at two looks is reported, once for each record", () => {
  const reported: string[] = [];
  const reporter = new LeftOutReporter(({ config: { id } }) => void reported.push(id));
  const [stays, passes] = [leftOut("stays"), leftOut("passes")];
  reporter.look([stays, passes]);
  expect(reported).toEqual([]);
  for (let look = 0; look < 3; look += 1) reporter.look([stays]);
  expect(reported).toEqual(["stays"]);
  const edited = leftOut("stays");
  for (let look = 0; look < 3; look += 1) reporter.look([edited]);
  expect(reported).toEqual(["stays", "stays"]);
});

test("what a version cannot read keeps what was sent of it; a later one that can finds what has changed meanwhile", async () => {
  const bench = await Bench.with();
  bench.worker.advanceTo(NOW_MS);
  const [newer, other] = [audienceOf("newer", { event: "A" }), audienceOf("other", { event: "B" })];
  for (const one of [newer, other]) bench.computations.apply(one.id, one);
  const companions = new Companions(bench, new Reports());
  for (const id of ["newer", "other"]) await companions.live(id);
  const times = { receivedAtMs: NOW_MS, timestampMs: NOW_MS };
  await bench.called(callOf({ userId: "before", event: "A", ...times }));
  bench.computations.apply("newer", { ...newer, definition: JSON.stringify({ ofNewerVersion: true }) });
  const edited = { definition: JSON.stringify({ event: "C" }), generation: 2, updatedAtMs: 2 };
  bench.computations.apply("other", { ...other, ...edited });
  bench.call(callOf({ userId: "meanwhile", event: "A", ...times }));
  await companions.live("other", 2);
  expect(bench.stateOf("before")?.results).toMatchObject([{ computationId: "newer", text: "true" }]);
  bench.computations.apply("newer", newer);
  await companions.live("newer");
  expect(bench.sent.map(({ text, user }) => `${user} ${text}`)).toEqual([
    'before {"newer":true}',
    'meanwhile {"newer":true}',
  ]);
});
