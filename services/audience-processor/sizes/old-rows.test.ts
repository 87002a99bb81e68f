import { expect, test } from "@jest/globals";
import type { AudienceSize } from "#topics";
import { oldRows } from "./old-rows.ts";

const row = (id: string, day: number, partition = 0): AudienceSize => ({
  ...{ id, partition, day, batch: 1, countedTo: 0, members: 1, isBeginning: false, hours: [] },
});

test("rows are kept for 13 months, the newest of each partition for ever, and none of what is gone", () => {
  const rows = [
    row("", 0),
    row("a", 1),
    row("a", 2),
    row("a", 2, 1),
    row("b", 600),
    row("a", 700),
    row("gone", 999),
  ];
  const look = (day: number) => oldRows(rows, (id) => id === "gone", day * 86_400_000);
  expect(look(397)).toEqual(["gone:0:999"]);
  expect(look(398)).toEqual(["a:0:1", "gone:0:999"]);
  expect(look(2_000)).toEqual(["a:0:1", "a:0:2", "gone:0:999"]);
});
