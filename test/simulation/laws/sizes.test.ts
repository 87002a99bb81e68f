import { expect, test } from "@jest/globals";
import type { AudienceSize } from "#topics";
import { AUDIENCE, audienceStory, CALM_MS, profile } from "./fixtures/audience-story.ts";
import { written } from "./fixtures/empty-story.ts";
import { sizesAreTrue } from "./sizes.ts";
import type { Story } from "./story.ts";

function row(entered: number, left: number, more: Partial<AudienceSize> = {}) {
  const value: AudienceSize = {
    ...{ id: AUDIENCE.id, partition: 0, day: 1, batch: 1, countedTo: 0, isBeginning: false },
    members: entered - left,
    hours: [{ hour: 0, entered, left }],
    ...more,
  };
  const one = written(value, "audience-sizes", value.day);
  return { ...one, record: { ...one.record, key: `${value.id}:${value.partition}:${value.day}` } };
}

function findings(sizes: Story["sizes"], more: Partial<Story> = {}): number {
  const story = audienceStory({ sizes, ...more });
  return sizesAreTrue({ ...story, plan: { ...story.plan, partitions: 1 } }).length;
}

test("a size that is not as its members are, or an entry that is missing or counts twice, is a finding", () => {
  expect(findings([row(1, 1)])).toBe(0);
  expect(findings([row(1, 0), { ...row(0, 1, { day: 2, members: 0 }) }])).toBe(0);
  // The last record of a key stands.
  expect(findings([row(7, 1), row(1, 1)])).toBe(0);
  expect(findings([row(1, 0)])).toBe(1);
  expect(findings([])).toBe(1);
  expect(findings([row(2, 2)])).toBe(1);
  expect(findings([row(1, 1, { members: 1 })])).toBe(2);
});

test("it is looked at once all is written", () => {
  expect(findings([row(2, 2)], { drainedAtMs: undefined })).toBe(0);
  const late = { ...profile(0, { seq: 2 }), atMs: CALM_MS + 29_000 };
  expect(findings([row(2, 2)], { profiles: [late] })).toBe(0);
});
