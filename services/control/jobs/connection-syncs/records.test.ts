import { expect, test } from "@jest/globals";
import { accountProfileId, anonymousProfileId, userProfileId } from "#audiences";
import { destination as destinationRecord } from "#support/records";
import { type DeliveryJob, type DestinationConfig, topicMap } from "#topics";
import { jobKeyOf, syncJob } from "./records.ts";
import type { CurrentValue } from "./values.ts";

const { deliveryJobs: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

function destination(filter: object | null): DestinationConfig {
  return destinationRecord({ filter: filter && JSON.stringify(filter) });
}

const value = {
  profileId: userProfileId("u1"),
  incarnation: 0,
  isCorrection: false,
  traits: "",
  audience: { id: "aud_1", key: "vips", kind: "audience" },
  result: { computationId: "aud_1", text: "true", seq: 1, sinceMs: 0, generation: 1, deadlineMs: null },
} as CurrentValue;

const SYNC = { createdAtMs: 10 };

test("the job of a member is another one in each sync, and the router's where it has changed since the connection", () => {
  const idOf = (sinceMs: number, createdAtMs: number): string => {
    const jobs: DeliveryJob[] = [];
    const encode = (_: unknown, one: unknown) => {
      jobs.push(one as DeliveryJob);
      return Buffer.of();
    };
    const changed = { ...value, result: { ...value.result, sinceMs } };
    syncJob({ serde: { encode }, topic, nowMs: () => 0 }, changed, {
      destination: destination(null),
      sync: { createdAtMs },
    });
    return jobs[0]?.jobId ?? "";
  };
  expect(idOf(5, 10)).toBe(idOf(5, 10));
  expect(idOf(5, 20)).not.toBe(idOf(5, 10));
  expect(idOf(30, 20)).toBe(idOf(30, 10));
  expect(idOf(30, 20)).not.toBe(idOf(30, 40));
});

test("a member is given to a destination whose filter lets the call pass, and to no other", () => {
  const parts = { serde: { encode: () => Buffer.of() }, topic, nowMs: () => 0 };
  const isGiven = (filter: object | null): boolean =>
    syncJob(parts, value, { destination: destination(filter), sync: SYNC }) !== undefined;
  expect(isGiven(null)).toBe(true);
  expect(isGiven({ path: "traits.vips", op: "eq", value: true })).toBe(true);
  expect(isGiven({ path: "traits.vips", op: "eq", value: false })).toBe(false);
});

test("an account is given to a destination that takes group calls, a user to one that takes identify calls", () => {
  const parts = { serde: { encode: () => Buffer.of() }, topic, nowMs: () => 0 };
  const isGiven = (profileId: string, callTypes: string[]): boolean => {
    const to = { destination: { ...destination(null), callTypes }, sync: SYNC };
    return syncJob(parts, { ...value, profileId }, to) !== undefined;
  };
  const [user, account] = [userProfileId("u1"), accountProfileId("g1")];
  expect([isGiven(user, ["identify"]), isGiven(account, ["identify"])]).toEqual([true, false]);
  expect([isGiven(user, ["group"]), isGiven(account, ["group"])]).toEqual([false, true]);
});

test.each([userProfileId("u1"), anonymousProfileId("a1"), accountProfileId("g1")])(
  "the key of a job is known of a value of which no more than the profile is: %s",
  (profileId) => {
    const parts = { serde: { encode: () => Buffer.of() }, topic, nowMs: () => 0 };
    const job = syncJob(parts, { ...value, profileId }, { destination: destination(null), sync: SYNC });
    expect(jobKeyOf({ profileId }, destination(null))).toBe(job?.key);
  },
);
