import { expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import {
  type MembershipImport,
  type MembershipImportRows,
  type ProfileEventRecord,
  type Suppression,
  suppressionKey,
  userHash,
} from "#topics";
import type { Happening } from "../world/history.ts";
import { AUDIENCE, audienceStory, event, profile, version } from "./fixtures/audience-story.ts";
import { writtenAt } from "./fixtures/empty-story.ts";
import {
  controlKnowsLists,
  endedRest,
  importsEnd,
  importsKeepOrder,
  lastListHolds,
  suppressedStay,
  suspiciousWait,
} from "./imports.ts";
import { type Law, NO_CONTROL_RECORDS, type Story, type Written } from "./story.ts";

const LIST = AUDIENCE.id;

/** A version of the import; its rows have the upload's id. */
function one(atMs: number, more: Partial<MembershipImport> = {}): Written<MembershipImport> {
  const { uploadId = "first" } = more;
  return writtenAt<MembershipImport>("membership-imports", atMs, {
    ...{ id: `${LIST}:${uploadId}`, audienceId: LIST, uploadId, mode: "replace", state: "staged", rows: 1 },
    ...{ isConfirmed: false, members: 0, added: 0, removed: 0, errors: [], errorCount: 0 },
    ...{ stagedAtMs: EPOCH_MS + 10_000, ...more },
  });
}

const rowsOf = (uploadId: string, ...userIds: string[]): Written<MembershipImportRows> =>
  writtenAt("membership-import-rows", 9_000, { uploadId, userIds, firstRow: 0 });

const answered = (
  uploadId: string,
  [askedAtMs, atMs]: readonly [number, number],
  deed: "upload" | "confirm" = "upload",
): Happening => ({ kind: "imported", atMs, deed, importKey: `${LIST}:${uploadId}`, askedAtMs });

const listed = (atMs: number, more: Partial<ProfileEventRecord> = {}): Written<ProfileEventRecord> => ({
  ...event(atMs, { kind: "list", listId: LIST, isMember: true, listedAtMs: EPOCH_MS + 10_000, ...more }),
  atMs,
});

const APPLIED = [one(10_000), one(12_000, { state: "applied" })];
const isOn = (lists: readonly string[] = [LIST]) => [profile(13_000, { lists: [...lists] })];

/** The user is named by the only import of the list, and is on it. */
function story(
  { imports = APPLIED, ...control }: Partial<Story["control"]> = {},
  more: Partial<Story> = {},
): Story {
  const made = audienceStory({}, [version(1, { kind: "list", definition: null })]);
  const importRows = [rowsOf("first", "u1")];
  return {
    ...made,
    control: { ...NO_CONTROL_RECORDS, importRows, ...control, imports },
    happenings: [answered("first", [9_990, 10_010])],
    profileEvents: [listed(11_000)],
    profiles: isOn(),
    lists: [{ process: "control-1", listId: LIST, profileIds: new Set(["u1"]) }],
    ...more,
  };
}

const found = (law: Law, ...of: Parameters<typeof story>): number => law(story(...of)).length;

test("an import that was applied, whose user is on the list, breaks no law", () => {
  const laws = [
    importsEnd,
    suspiciousWait,
    importsKeepOrder,
    lastListHolds,
    controlKnowsLists,
    suppressedStay,
    endedRest,
  ];
  expect(laws.map((law) => found(law))).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test("one that was answered and is nowhere, or does not end, is a finding", () => {
  expect(found(importsEnd, { imports: [] })).toBe(1);
  expect(found(importsEnd, { imports: [one(10_000)] })).toBe(1);
  expect(found(importsEnd, { imports: [one(10_000)] }, { drainedAtMs: undefined })).toBe(0);
});

test("one that is refused says which row is wrong, or that its list was deleted", () => {
  const refused = (line: number, message: string) =>
    ({ imports: [one(10_000, { state: "refused", errors: [{ line, message }], errorCount: 1 })] }) as const;
  expect(found(importsEnd, { imports: [one(10_000, { state: "refused" })] })).toBe(1);
  expect(found(importsEnd, refused(3, "has no userId"))).toBe(0);
  expect(found(importsEnd, refused(0, "the list was deleted"))).toBe(1);
  const deleted = { deletedAtMs: EPOCH_MS + 11_000 };
  const { plan } = audienceStory({}, [version(11_000, { kind: "list", definition: null, ...deleted })]);
  expect(found(importsEnd, refused(0, "the list was deleted"), { plan })).toBe(0);
});

test("one is held where it would empty its list, until it is confirmed, and not otherwise", () => {
  const held = (more: Partial<MembershipImport>) => ({ imports: [one(12_000, { state: "held", ...more })] });
  expect(found(importsEnd, held({ rows: 0 }))).toBe(0);
  expect(found(importsEnd, held({ members: 400, removed: 101 }))).toBe(0);
  expect(found(importsEnd, held({ members: 2, removed: 2 }))).toBe(0);
  expect(found(importsEnd, held({ members: 2, added: 1, removed: 2 }))).toBe(1);
  expect(found(importsEnd, held({ members: 600, removed: 101 }))).toBe(1);
  const confirmed = answered("first", [14_000, 14_010], "confirm");
  expect(found(importsEnd, held({ rows: 0 }), { happenings: [confirmed] })).toBe(1);
});

test("what has to be confirmed is not applied without", () => {
  const empty = (isConfirmed: boolean) => ({
    imports: [one(12_000, { state: "applied", rows: 0, isConfirmed })],
  });
  expect(found(suspiciousWait, empty(false))).toBe(1);
  expect(found(suspiciousWait, empty(true))).toBe(0);
});

test("one that was asked for after another one was answered is applied behind it", () => {
  const second = { uploadId: "second" };
  const imports = (endsAtMs: number) => [
    one(10_000),
    one(11_000, second),
    one(12_000, { ...second, state: "applied" }),
    one(endsAtMs, { state: "applied" }),
  ];
  const happenings = (askedAtMs: number) => [
    answered("first", [9_990, 10_010]),
    answered("second", [askedAtMs, 11_010]),
  ];
  expect(found(importsKeepOrder, { imports: imports(13_000) }, { happenings: happenings(10_500) })).toBe(1);
  expect(found(importsKeepOrder, { imports: imports(13_000) }, { happenings: happenings(10_000) })).toBe(0);
  expect(found(importsKeepOrder, { imports: imports(11_500) }, { happenings: happenings(10_500) })).toBe(0);
});

test("who is on a list that does not name them, or is not on one that does, is a finding", () => {
  expect(found(lastListHolds, {}, { profiles: isOn([]) })).toBe(1);
  expect(found(lastListHolds, { importRows: [rowsOf("first", "u2")] })).toBe(2);
});

test("a row that a process wrote when another one had ended the import may stand behind the next one's", () => {
  const control = secondIs("replace");
  const profileEvents = [listed(11_000), listed(20_500, { isMember: false }), listed(22_000)];
  const rows = profileEvents.map((row) => ({ ...row, process: "control-1" }));
  expect(found(lastListHolds, control, { profileEvents: rows })).toBe(1);
  const cut: Happening = { kind: "disturbed", atMs: 11_500, process: "control-1", by: "cut" };
  expect(found(lastListHolds, control, { profileEvents: rows, happenings: [cut] })).toBe(0);
});

/** The first one names the user, the second one does not. */
function secondIs(mode: string) {
  const second = { uploadId: "second", mode, stagedAtMs: EPOCH_MS + 20_000 };
  return {
    imports: [...APPLIED, one(20_000, second), one(21_000, { ...second, state: "applied" })],
    importRows: [rowsOf("first", "u1"), rowsOf("second")],
  };
}

test("the last import of a list counts, for those of whom it says something", () => {
  expect(found(lastListHolds, secondIs("replace"))).toBe(1);
  expect(found(lastListHolds, secondIs("replace"), { profiles: isOn([]) })).toBe(0);
  expect(found(lastListHolds, secondIs("add"))).toBe(0);
  const removed = { ...secondIs("remove"), importRows: [rowsOf("first", "u1"), rowsOf("second", "u1")] };
  expect(found(lastListHolds, removed)).toBe(1);
});

test("who is deleted later is on no list; while an import is under way either may come first", () => {
  const deleted = (atMs: number) => [
    listed(11_000),
    event(2, { kind: "delete", deletedAtMs: EPOCH_MS + atMs }),
  ];
  expect(found(lastListHolds, {}, { profileEvents: deleted(30_000) })).toBe(1);
  expect(found(lastListHolds, {}, { profileEvents: deleted(30_000), profiles: isOn([]) })).toBe(0);
  expect(found(lastListHolds, {}, { profileEvents: deleted(5_000) })).toBe(0);
  expect(found(lastListHolds, {}, { profileEvents: deleted(9_000), profiles: isOn([]) })).toBe(0);
});

const suppression = (atMs: number, isSuppressed = true): Written<Suppression | null> => ({
  ...writtenAt<Suppression>("suppressions", atMs, {}, { key: suppressionKey(null, userHash("u1")) }),
  value: isSuppressed ? { regulationId: "reg", atMs: EPOCH_MS + atMs } : null,
});

test("who is suppressed around an import may be on its list, or not", () => {
  expect(found(lastListHolds, { suppressions: [suppression(9_000)] }, { profiles: isOn([]) })).toBe(0);
  const over = [suppression(2_000), suppression(3_000, false)];
  expect(found(lastListHolds, { suppressions: over }, { profiles: isOn([]) })).toBe(1);
});

test("a row of one who was suppressed before the upload is a finding", () => {
  expect(found(suppressedStay, { suppressions: [suppression(9_000)] })).toBe(1);
  expect(found(suppressedStay, { suppressions: [suppression(10_500)] })).toBe(0);
  expect(found(suppressedStay, { suppressions: [suppression(2_000), suppression(9_000, false)] })).toBe(0);
});

test("a control process that knows of somebody else, or of nobody, is a finding", () => {
  const lists = (...ids: string[]) => [{ process: "control-1", listId: LIST, profileIds: new Set(ids) }];
  expect(found(controlKnowsLists, {}, { lists: lists() })).toBe(1);
  expect(found(controlKnowsLists, {}, { lists: lists("u1", "u2") })).toBe(1);
});

test("a row that is written when its import had ended is a finding, but for who was cut off", () => {
  const profileEvents = [listed(11_000), { ...listed(13_000), process: "control-1" }];
  expect(found(endedRest, {}, { profileEvents })).toBe(1);
  const cut: Happening = { kind: "disturbed", atMs: 11_500, process: "control-1", by: "cut" };
  expect(found(endedRest, {}, { profileEvents, happenings: [cut] })).toBe(0);
});
