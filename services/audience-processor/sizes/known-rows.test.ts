import { expect, test } from "@jest/globals";
import { type AudienceSize, audienceSizeKey } from "#topics";
import { KnownRows } from "./known-rows.ts";

const row = (id: string, day: number, partition = 0, members = 1): AudienceSize => ({
  ...{ id, partition, day, batch: 1, countedTo: 0, members, isBeginning: false, hours: [] },
});

test("the newest two days of each place are known whole, of the others that they are there, until they end", () => {
  const known = new KnownRows();
  const read = (...rows: readonly AudienceSize[]) => {
    for (const one of rows) known.changed(audienceSizeKey(one), one);
  };
  read(row("", 0), row("a", 1), row("a", 2), row("a", 3), row("a", 2, 0, 7), row("a", 5, 1), row("a:b", 1));
  const shown = () => known.newestOf(0).map(({ day, id, members }) => `${id} ${day} ${members}`);
  expect(shown()).toEqual([" 0 1", "a 2 7", "a 3 1", "a:b 1 1"]);
  expect([...known.places()].map(({ day, id, partition }) => `${id} ${partition} ${day}`)).toEqual([
    " 0 0",
    "a 0 1",
    "a 0 2",
    "a 0 3",
    "a 1 5",
    "a:b 0 1",
  ]);
  // One that is older than both is written once more, behind them.
  read(row("a", 1, 0, 9));
  expect(shown()).toEqual([" 0 1", "a 2 7", "a 3 1", "a:b 1 1"]);
  // A former owner writes late.
  read({ ...row("a", 3, 0, 8), batch: 2 }, row("a", 3, 0, 9), { ...row("", 0), batch: 2 }, row("", 0, 0, 3));
  expect(shown()).toEqual([" 0 3", "a 2 7", "a 3 8", "a:b 1 1"]);
  expect(known.lateOf(0)).toEqual([row("a", 3, 0, 9)]);
  read({ ...row("a", 3, 0, 8), batch: 2 });
  expect(known.lateOf(0)).toEqual([]);
  // Of a day that is none of the newest two any more nobody can say better.
  read({ ...row("b", 1), batch: 2 }, row("b", 1), row("b", 2), row("b", 3));
  expect(known.lateOf(0)).toEqual([]);
  for (const day of [1, 2, 3]) known.changed(audienceSizeKey(row("b", day)), undefined);
  for (const day of [1, 2, 3]) known.changed(audienceSizeKey(row("a", day)), undefined);
  known.changed("never:0:1", undefined);
  expect(shown()).toEqual([" 0 3", "a:b 1 1"]);
});
