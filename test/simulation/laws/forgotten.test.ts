import { expect, test } from "@jest/globals";
import { type AudienceConfig, type AudienceProgress, audienceProgressKey } from "#topics";
import { forgetAudience } from "../../../services/control/resources/audiences/audience.ts";
import { progressOf } from "../../../services/control/resources/audiences/fixtures/progress.ts";
import { AUDIENCE, audienceStory } from "./fixtures/audience-story.ts";
import { NO_MEMBER_WORK, written } from "./fixtures/empty-story.ts";
import { onlyTheGoneGoes, theGoneGoes } from "./forgotten.ts";
import type { ControlRecords, Story, Written } from "./story.ts";

const DELETED = { ...AUDIENCE, deletedAtMs: 1 };
const config = (value: AudienceConfig, place: number) => written(value, "audience-config", place);

function row(place: number, state: string, partition: number): Written<AudienceProgress> {
  const value = progressOf(AUDIENCE.id, partition, { state });
  const one = written(value, "audience-progress", place);
  return { ...one, record: { ...one.record, key: audienceProgressKey(value) } };
}
const rowEnd = (place: number, partition: number) => ({ ...row(place, "", partition), value: null });
function importEnd(place: number): Written<null> {
  const one = written(null, "membership-imports", place);
  return { ...one, record: { ...one.record, key: `${AUDIENCE.id}:i` } };
}

const LET_GO = [row(3, "deleted", 0), row(4, "deleted", 1)];
const ENDED = [rowEnd(6, 0), rowEnd(7, 1)];
const FORGOTTEN = [config(AUDIENCE, 1), config(DELETED, 2), config(forgetAudience(DELETED, 9), 5)];

interface Facts extends Partial<ControlRecords> {
  readonly progress?: Story["progress"];
}

function findings({ progress = [...LET_GO, ...ENDED], ...records }: Facts): number[] {
  const story = audienceStory();
  const control = { ...story.control, audiences: FORGOTTEN, ...records };
  const plan = { ...story.plan, partitions: 2, members: NO_MEMBER_WORK };
  const whole = { ...story, plan, control, progress, endedAtMs: 150_000 };
  return [onlyTheGoneGoes(whole).length, theGoneGoes(whole).length];
}

test("what goes once every partition has let go of it is no finding", () => {
  expect(findings({ importEnds: [importEnd(3)] })).toEqual([0, 0]);
});

test("what goes too soon, or comes back, is a finding", () => {
  expect(findings({ progress: [row(3, "deleted", 0), row(6, "deleted", 1)] })[0]).toBe(1);
  expect(findings({ progress: [LET_GO[0] as Written<AudienceProgress>] })[0]).toBe(1);
  expect(findings({ progress: [...LET_GO, rowEnd(4.5, 0)] })[0]).toBe(1);
  expect(findings({ importEnds: [importEnd(1)] })[0]).toBe(1);
  expect(findings({ audiences: [...FORGOTTEN, config(DELETED, 6)] })[0]).toBe(1);
  const lost = forgetAudience({ ...DELETED, key: "other" }, 9);
  expect(findings({ audiences: [...FORGOTTEN.slice(0, 2), config(lost, 5)] })[0]).toBe(1);
  expect(findings({ audiences: [config(AUDIENCE, 1), config(forgetAudience(DELETED, 9), 5)] })[0]).toBe(1);
});

test("what stays is a finding", () => {
  expect(findings({ audiences: FORGOTTEN.slice(0, 2), progress: LET_GO })).toEqual([0, 1]);
  expect(findings({ progress: LET_GO })).toEqual([0, 2]);
  const one = { ...written({} as never, "membership-imports", 1), record: importEnd(1).record };
  expect(findings({ imports: [one] })).toEqual([0, 1]);
  expect(findings({ imports: [one], importEnds: [importEnd(8)] })).toEqual([0, 0]);
});
