import { beforeAll, expect, test } from "@jest/globals";
import { planOf } from "../plan/worlds.ts";
import { run } from "../run/run.ts";
import { changesOf } from "./audience-changes.ts";
import { cookiesAreForgotten } from "./cookies.ts";
import type { Story } from "./story.ts";

/** A world in which an id was forgotten that was in an audience. */
let story: Story;
/** The last change of that id: it left. */
let left: string;

const withoutLeft = (): Story => ({
  ...story,
  calls: story.calls.filter(({ value }) => value.messageId !== left),
});

beforeAll(async () => {
  for (let seed = 1; seed < 200; seed += 1) {
    const plan = planOf({ seed, worlds: "audiences" });
    if (plan.anonymousRetentionMs === undefined) continue;
    ({ story } = await run(plan));
    const exits = changesOf(story).filter(({ user, value }) => user.startsWith("anon:") && value === false);
    for (const { messageId } of exits) {
      left = messageId;
      if (cookiesAreForgotten(withoutLeft()).length > 0) return;
    }
  }
  throw new Error("no such world");
}, 120_000);

const what = (of: Story) => cookiesAreForgotten(of).map((finding) => finding.what);

test("nothing is said of a world in which ids were forgotten in time, and of one in which none is to be", () => {
  expect(what(story)).toEqual([]);
  const { anonymousRetentionMs: _, ...plan } = story.plan;
  expect(what({ ...story, plan, calls: [] })).toEqual([]);
});

test("an id that is not told that it has left is found", () => {
  const calls = story.calls.filter(({ value }) => value.messageId !== left);
  expect(what({ ...story, calls })).toEqual([
    expect.stringMatching(/^anon:cookie-\d in \w+: was last sent true/),
  ]);
});

test("an id that is forgotten too soon is found", () => {
  const plan = { ...story.plan, anonymousRetentionMs: 3_600_000 };
  expect(what({ ...story, plan })).toContainEqual(expect.stringMatching(/^anon:cookie-\d was emptied at/));
});

const FLIP = {
  computationId: "a1",
  generation: 1,
  text: "true",
  traits: "",
  isTracked: false,
  toAccount: "",
};
const UNSENT = { ...FLIP, atMs: 0, seq: 1e6 };

test.each([
  ["something is known of it", { judgedAtMs: 5 }],
  ["it has something to send", { outbox: [UNSENT] }],
])("a profile that is removed while %s is found", (_, more) => {
  const of = story.profiles.findLast(({ record }) => record.key?.startsWith("anon:"));
  if (of === undefined) throw new Error("no profile");
  const [place, atMs] = [story.happenings.length, story.endedAtMs];
  const record = { ...of.record, value: null };
  const removed = { kind: "appended", atMs, record, process: "audience-processor-1" } as const;
  const known = {
    ...of,
    place,
    value: { ...of.value, judgedAtMs: 0, outbox: [], ...more, appliedOffset: 1e6 },
  };
  const given = {
    ...story,
    happenings: [...story.happenings, removed],
    profiles: [...story.profiles, known],
  };
  expect(what(given)).toContainEqual(`${of.record.key} was removed while something was known of it`);
});
