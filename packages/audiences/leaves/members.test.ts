// What an account keeps of its members, and what becomes of it.
import { expect, test } from "@jest/globals";
import { explainMembership } from "../explain/explain.ts";
import { audience as audienceOf, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "../profile/apply.ts";
import { compileSet } from "../profile/computation-set.ts";
import { evaluateNode } from "../profile/evaluate.ts";
import { accountProfileId } from "../profile/identity.ts";
import { createProfile, MAX_PROFILE_BYTES } from "../profile/profile.ts";
import { profileFromRecord, profileToRecord } from "../profile/record.ts";
import { MAX_UNIQUE_VALUES } from "./values.ts";

const MINUTE_MS = 60_000;

const audience = (definition: object) => audienceOf("aud", { of: "accounts", ...definition });

/** An account that calls name, and one audience of accounts. */
class Account {
  readonly set: ReturnType<typeof compileSet>;
  profile = createProfile(accountProfileId("acme"), 0);
  #offset = 0;

  constructor(definition: object) {
    this.set = compileSet([audience(definition)]);
  }

  call(userId: string | null, atMs = NOW_MS, anonymousId: string | null = null): void {
    this.#offset += 1;
    const call = callOf({ messageId: `m${this.#offset}`, userId, anonymousId, atMs });
    applyEvent(this.profile, { kind: "call", call }, this.set, { offset: this.#offset, nowMs: atMs });
  }

  get audience() {
    const found = this.set.computations.get("aud");
    if (found?.root === undefined) throw new Error("no audience");
    return { ...found, root: found.root };
  }

  get text() {
    return this.profile.results.get("aud")?.text;
  }

  holding(nowMs: number) {
    return evaluateNode(this.audience.root, { profile: this.profile, nowMs });
  }

  reload(): void {
    this.profile = profileFromRecord(this.profile.id, profileToRecord(this.profile));
  }
}

test("a member is a userId, however often it calls; calls without one are nobody's", () => {
  const account = new Account({ members: { event: "A" }, count: { op: "gte", value: 2 } });
  account.call("ann");
  account.call("ann");
  account.call(null, NOW_MS, "phone");
  account.call(null, NOW_MS, "laptop");
  expect(account.text).toBeUndefined();
  account.call("bob");
  expect(account.text).toBe("true");
});

test("the record names no user, and has all of it", () => {
  const account = new Account({ members: { event: "A" }, count: { op: "gte", value: 2 } });
  account.call("ann");
  expect(JSON.stringify(profileToRecord(account.profile))).not.toContain("ann");
  account.reload();
  account.call("ann");
  expect(account.text).toBeUndefined();
  account.call("bob");
  expect(account.text).toBe("true");
});

test("who has done it once is a member until the last call leaves the window, to the millisecond", () => {
  const account = new Account({ members: { event: "A", within: "1h" } });
  account.call("ann", NOW_MS);
  account.call("ann", NOW_MS + MINUTE_MS + 1);
  const untilMs = NOW_MS + 61 * MINUTE_MS + 1;
  expect(account.holding(untilMs - 1)).toMatchObject({ holds: true, untilMs });
  expect(account.holding(untilMs).holds).toBe(false);
});

test("members beyond 1,000 are left out, and that is told", async () => {
  const account = new Account({ members: { event: "A" }, count: { op: "gt", value: MAX_UNIQUE_VALUES } });
  for (let index = 0; index <= MAX_UNIQUE_VALUES; index += 1) account.call(`user-${index}`);
  expect(account.profile.incompleteFor).toEqual(new Set(["aud"]));
  const { isIncomplete, leaves } = await explainMembership(account.audience, {
    profile: account.profile,
    nowMs: NOW_MS,
    pause: () => undefined,
  });
  expect(isIncomplete).toBe(true);
  expect(leaves).toEqual([
    { path: "definition", holds: false, value: MAX_UNIQUE_VALUES, isOverflowing: true },
  ]);
});

test("many members who call often stay within a profile's room", () => {
  const often = { event: "A", within: "1h", count: { op: "gte", value: 5 } };
  const account = new Account({ members: often, count: { op: "gte", value: 50 } });
  for (let minute = 0; minute < 60; minute += 1)
    for (let user = 0; user < 120; user += 1) account.call(`user-${user}`, NOW_MS + minute * MINUTE_MS);
  expect(account.profile.sizeBytes).toBeLessThanOrEqual(MAX_PROFILE_BYTES);
  expect(account.text).toBe("true");
  const counted = account.profile.sizeBytes;
  account.reload();
  expect(account.profile.sizeBytes).toBe(counted);
});
