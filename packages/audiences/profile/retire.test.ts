import { expect, test } from "@jest/globals";
import { audience as audienceOf, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import type { ComputationInput } from "./computation.ts";
import { compileSet } from "./computation-set.ts";
import { evaluate } from "./judging.ts";
import { createProfile, type Profile } from "./profile.ts";
import { forgetUnused, leaveAudience } from "./retire.ts";

const ALONE = { traits: "", isTracked: false };

const audience = (event: string, more: Partial<ComputationInput> = {}) =>
  audienceOf(event, { event, within: "1d" }, more);

const LIST = audience("list", { definition: { kind: "list" } });

function profileWith(inputs: readonly ComputationInput[], events: readonly string[]): Profile {
  const set = compileSet(inputs);
  const profile = createProfile("u", 0);
  for (const [offset, name] of events.entries()) {
    const call = callOf({ messageId: `${offset}`, name });
    applyEvent(profile, { kind: "call", call }, set, { offset, nowMs: NOW_MS });
  }
  const joins = { kind: "list", listId: "list", isMember: true } as const;
  applyEvent(profile, joins, set, { offset: events.length, nowMs: NOW_MS });
  return profile;
}

test("leaving sends false to a member, and nothing to who is not in", () => {
  const inputs = [LIST, audience("A"), audience("B")];
  const profile = profileWith(inputs, ["A"]);
  profile.outbox = [];
  for (const one of compileSet(inputs).computations.values()) leaveAudience(profile, one, NOW_MS + 1);
  expect(profile.outbox).toEqual([
    { computationId: "list", generation: 1, seq: 2, text: "false", atMs: NOW_MS + 1, ...ALONE },
    { computationId: "A", generation: 1, seq: 2, text: "false", atMs: NOW_MS + 1, ...ALONE },
  ]);
});

test("what no computation uses any more is dropped, the rest stays", () => {
  const profile = profileWith([LIST, audience("A"), audience("B")], ["A", "B"]);
  const sizeBytes = profile.sizeBytes;
  const forget = (set: ReturnType<typeof compileSet>) => forgetUnused(profile, set, set.computations);
  expect(forget(compileSet([LIST, audience("A"), audience("B")]))).toBe(false);
  expect(forget(compileSet([audience("A")]))).toBe(true);
  expect([...profile.results.keys()]).toEqual(["A"]);
  expect([profile.leaves.size, profile.lists.size]).toEqual([1, 0]);
  expect(profile.sizeBytes).toBeLessThan(sizeBytes);
});

test("an edit that is prepared beside the live definition folds what comes, and is evaluated when it is live", () => {
  const edited = audience("B", { id: "A", key: "A", generation: 2 });
  const both = [{ ...edited, state: "preparing" as const }, audience("A"), LIST];
  const profile = profileWith(both, ["B"]);
  expect(profile.outbox.map(({ computationId }) => computationId)).toEqual(["list"]);
  evaluate(profile, compileSet([edited, LIST]).computations.values(), NOW_MS);
  expect(profile.outbox.at(-1)).toMatchObject({ computationId: "A", generation: 2, text: "true" });
});
