import { expect, test } from "@jest/globals";
import { createProfile } from "#audiences";
import type { AudienceConfig } from "#topics";
import { type CurrentValue, changesSince, withTraits } from "./values.ts";

const result = { computationId: "a", text: "true", seq: 1, sinceMs: 0, generation: 1, deadlineMs: null };

function currentOf(sentTraits: string[], kind = "audience"): CurrentValue {
  const audience = { id: "a", key: "a", kind, sentTraits } as unknown as AudienceConfig;
  return { profileId: "u", incarnation: 0, result, audience, traits: "", isCorrection: false };
}

function profiles() {
  let reads = 0;
  const profile = createProfile("u", 0);
  profile.traits.set("plan", { value: "pro", atMs: 1, receivedAtMs: 1 });
  const get = async () => {
    reads += 1;
    return profile;
  };
  const results = [{ ...result, seq: 2 }];
  const sentOf = async () => ({ incarnation: 0, lists: [], results, redirectTo: null });
  return { reader: { get, sentOf }, reads: () => reads };
}

test("values get the traits that their audiences send along; the profile is read once, and only where some do", async () => {
  const { reader, reads } = profiles();
  const along = async (...values: CurrentValue[]) =>
    (await withTraits(values, reader)).map(({ traits }) => traits);
  expect([await along(currentOf([]), currentOf(["plan"], "trait")), reads()]).toEqual([["", ""], 0]);
  expect([await along(currentOf(["plan", "none"]), currentOf([])), reads()]).toEqual([
    ['{"plan":"pro"}', ""],
    1,
  ]);
});

test("what has changed since has the traits of now", async () => {
  const before = currentOf(["plan"]);
  const changes = await changesSince([before], profiles().reader, 0);
  expect(changes).toMatchObject([{ before, now: { traits: '{"plan":"pro"}', isCorrection: true } }]);
});
