import { expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import { createProfile } from "./profile.ts";
import { isSilenced, isSuppressedIn, setSuppression, wasSuppressedAt } from "./suppression.ts";

const begins = (sourceId: string | null) => ({ sourceId, isSuppressed: true });
const ends = (sourceId: string | null) => ({ sourceId, isSuppressed: false });

test("in the workspace and in the source of audiences nothing is said; in another source its calls do not count", () => {
  for (const [sourceId, silenced, counted] of [
    [null, true, []],
    [SPACE_SOURCE, true, []],
    ["s1", false, ["s2"]],
  ] as const) {
    const profile = createProfile("u", 0);
    setSuppression(profile, begins(sourceId), 5);
    expect(isSilenced(profile)).toBe(silenced);
    expect(["s1", "s2"].filter((id) => !isSuppressedIn(profile, id))).toEqual(counted);
  }
});

test("each ends by itself, and what is read again changes nothing", () => {
  const profile = createProfile("u", 0);
  const happen = () => [
    setSuppression(profile, begins(null), 5),
    setSuppression(profile, begins("s1"), 6),
    setSuppression(profile, ends(null), 9),
  ];
  expect(happen()).toEqual([true, true, true]);
  expect(happen()).toEqual([false, false, false]);
  expect([isSilenced(profile), isSuppressedIn(profile, "s1"), isSuppressedIn(profile, "s2")]).toEqual([
    false,
    true,
    false,
  ]);
});

test("a reading of the log judges a call as it was judged when it came", () => {
  const profile = createProfile("u", 0);
  setSuppression(profile, begins(null), 5);
  setSuppression(profile, ends(null), 9);
  const judged = (offset: number) => wasSuppressedAt(profile, "s1", offset);
  expect([4, 5, 8, 9].map(judged)).toEqual([false, true, true, false]);
});

test("of those that have ended the newest ten are kept", () => {
  const profile = createProfile("u", 0);
  for (let offset = 0; offset < 40; offset += 2) {
    setSuppression(profile, begins(null), offset + 1);
    setSuppression(profile, ends(null), offset + 2);
  }
  setSuppression(profile, begins("s1"), 50);
  expect(profile.suppressions.map(({ fromOffset }) => fromOffset)).toEqual([
    21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 50,
  ]);
});
