import { expect, test } from "@jest/globals";
import { createAudience, patchAudience } from "./audience.ts";
import { createProblems, patchProblems, previewProblems } from "./rules.ts";

const definitionOf = (name: string) => ({ event: name });
const created = createAudience(
  { id: "aud_1", resource: "audience", key: "a", name: "A", definition: definitionOf("1") },
  1,
);
const edited = (before: typeof created, name: string, isPrepared: boolean) =>
  patchAudience(before, { definition: definitionOf(name) }, { nowMs: 2, isPrepared });
const earlierOf = ({ earlier }: typeof created) => earlier.map(({ generation }) => generation);

test("an edit keeps the definitions that may hold on until it is prepared", () => {
  const second = edited(created, "2", true);
  expect(second).toMatchObject({
    generation: 2,
    earlier: [{ generation: 1, definition: '{"event":"1"}' }],
  });
  const third = edited(second, "3", false);
  expect(earlierOf(third)).toEqual([2, 1]);
  expect(earlierOf(edited(third, "4", true))).toEqual([3]);
  let last = created;
  for (let n = 2; n < 12; n += 1) last = edited(last, `${n}`, false);
  expect(earlierOf(last)).toEqual([10, 9, 8, 7, 6]);
});

test("the same definition, another name, a pause keep them as they are", () => {
  const second = edited(created, "2", true);
  for (const patch of [{ definition: definitionOf("2") }, { name: "B" }, { paused: true }])
    expect(patchAudience(second, patch, { nowMs: 3, isPrepared: false })).toMatchObject({
      generation: 2,
      earlier: second.earlier,
    });
});

test("what an audience sends is nothing more at first, and is edited without another generation", () => {
  expect(created).toMatchObject({ hasTrackCalls: false, sentTraits: [] });
  const change = (before: typeof created, patch: object) =>
    patchAudience(before, patch, { nowMs: 2, isPrepared: true });
  const telling = change(created, { trackCalls: true, sendTraits: ["plan"] });
  expect(telling).toMatchObject({ hasTrackCalls: true, sentTraits: ["plan"], generation: 1, earlier: [] });
  expect(change(telling, { name: "B" })).toMatchObject({ hasTrackCalls: true, sentTraits: ["plan"] });
  expect(change(telling, { trackCalls: false, sendTraits: [] })).toMatchObject({
    hasTrackCalls: false,
    sentTraits: [],
  });
});

test("a definition that would bring all audiences beyond what a call may cost is refused; an edit counts once", () => {
  const where = Array.from({ length: 20 }, () => ({ path: "a", op: "contains", value: "x" }));
  const definition = { any: Array.from({ length: 5 }, (_, index) => ({ event: `E${index}`, where })) };
  const configs = Array.from({ length: 20 }, (_, index) => {
    const id = `a${index}`;
    return createAudience({ id, resource: "audience", key: id, name: id, definition }, 1);
  });
  const [first, ...others] = configs;
  if (first === undefined) throw new Error("there is none");
  const problems = [
    {
      path: "definition",
      message:
        "brings the audiences and computed traits to 2100 conditions with contains or not_contains, at most 2000 are allowed together",
    },
  ];
  const rules = { resource: "audience", configs } as const;
  expect(createProblems({ name: "One More", definition }, rules)).toEqual(problems);
  expect(createProblems({ name: "One More", definition }, { ...rules, configs: others })).toEqual([]);
  expect(patchProblems({ definition }, first, rules)).toEqual([]);
});

test("where all audiences are beyond it since an upgrade, an edit that makes one no dearer is taken", () => {
  const where = Array.from({ length: 20 }, () => ({ path: "a", op: "contains", value: "x" }));
  const searching = (leaves: number, more: object[] = []) => ({
    any: [...Array.from({ length: leaves }, (_, index) => ({ event: `E${index}`, where })), ...more],
  });
  const configs = Array.from({ length: 10 }, (_, index) => {
    const id = `a${index}`;
    return createAudience({ id, resource: "audience", key: id, name: id, definition: searching(20) }, 1);
  });
  const [first] = configs;
  if (first === undefined) throw new Error("there is none");
  const problemsOf = (definition: object) =>
    patchProblems({ definition }, first, { resource: "audience", configs }).map(({ message }) => message);
  expect(problemsOf(searching(20))).toEqual([]);
  expect(problemsOf(searching(19))).toEqual([]);
  expect(problemsOf(searching(1, [{ event: "F" }]))).toEqual([]);
  expect(problemsOf(searching(21))).toEqual([
    "has 420 conditions with contains or not_contains, at most 100 are allowed",
  ]);
  expect(problemsOf(searching(20, [{ event: "F" }]))).toEqual([]);
  expect(previewProblems({ definition: searching(6) }, [])).toEqual([
    {
      path: "definition",
      message: "has 120 conditions with contains or not_contains, at most 100 are allowed",
    },
  ]);
});
