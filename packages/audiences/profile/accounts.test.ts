// What a user's accounts are told, and when.
import { describe, expect, test } from "@jest/globals";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { MAX_ACCOUNTS, tellAccounts } from "./accounts.ts";
import { applyEvent, completeRelease } from "./apply.ts";
import { compileSet } from "./computation-set.ts";
import type { ProfileEvent } from "./event.ts";
import { accountProfileId } from "./identity.ts";
import { advance } from "./judging.ts";
import { createProfile, MAX_PROFILE_BYTES, type Profile, UNCOUNTED } from "./profile.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";
import { profileBytes } from "./size.ts";

const BUYERS = audience("buyers", { event: "Bought", within: "60s" });
const SET = compileSet([
  BUYERS,
  audience("others", { event: "Bought" }),
  audience("sold", { of: "accounts", members: { audience: "buyers" }, count: { op: "gte", value: 2 } }),
]);

class User {
  readonly profile: Profile;
  #offset = 0;

  constructor(id = "ann") {
    this.profile = createProfile(id, 0);
  }

  happen(event: ProfileEvent, nowMs = NOW_MS) {
    this.#offset += 1;
    return applyEvent(this.profile, event, SET, { offset: this.#offset, nowMs });
  }

  call(name: string, groupId: string | null, { set = SET, userId = this.profile.id, atMs = NOW_MS } = {}) {
    this.#offset += 1;
    const ids = { userId: userId === "" ? null : userId, anonymousId: "x" };
    const call = callOf({ ...ids, messageId: `m${this.#offset}`, name, groupId, atMs });
    applyEvent(this.profile, { kind: "call", call }, set, { offset: this.#offset, nowMs: atMs });
  }

  /** What waits to be told, by account; it is told then. */
  told(): (readonly [account: string, ids: string[]])[] {
    const told = this.profile.outbox.flatMap(({ text, toAccount }) =>
      toAccount === undefined ? [] : [[toAccount, JSON.parse(text)] as const],
    );
    this.profile.outbox = [];
    return told;
  }
}

describe("a user's accounts are told", () => {
  test("once for each change, of audiences that are asked about alone", () => {
    const user = new User();
    user.call("Bought", "acme");
    expect(user.told()).toEqual([["acme", ["buyers"]]]);
    user.call("Bought", "acme");
    expect(user.told()).toEqual([]);
    user.call("Seen", "globex");
    expect(user.told()).toEqual([["globex", ["buyers"]]]);
    advance(user.profile, SET, NOW_MS + 60_000);
    expect(user.told()).toEqual([
      ["acme", []],
      ["globex", []],
    ]);
    expect(user.profile.sizeBytes).toBe(profileBytes(user.profile));
  });

  test("nothing where no definition asks", () => {
    const user = new User();
    user.call("Bought", "acme", { set: compileSet([BUYERS]) });
    expect(user.told()).toEqual([]);
  });

  test("each time later than before, also in one millisecond and after a deletion", () => {
    const user = new User();
    const times: number[] = [];
    const note = () => {
      times.push(
        ...user.profile.outbox.flatMap(({ atMs, toAccount }) => (toAccount === undefined ? [] : atMs)),
      );
      user.profile.outbox = [];
    };
    user.call("Bought", "acme");
    note();
    tellAccounts(user.profile, SET.told, true);
    note();
    user.happen({ kind: "delete", atMs: NOW_MS - 5 });
    note();
    user.call("Bought", "acme");
    note();
    expect(times).toHaveLength(4);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  test("that a deleted user is in none, and nothing is kept of them", () => {
    const user = new User();
    user.call("Bought", "acme");
    user.told();
    user.happen({ kind: "delete", atMs: NOW_MS });
    expect(user.told()).toEqual([["acme", []]]);
    expect([user.profile.accounts.size, user.profile.sizeBytes]).toEqual([0, 0]);
  });

  test("by the surviving user once two are merged", () => {
    const [moved, survivor] = [new User("old"), new User("ann")];
    moved.call("Bought", "acme");
    moved.told();
    moved.happen({ kind: "release", to: "ann" });
    expect(moved.told()).toEqual([["acme", []]]);
    survivor.call("Seen", null);
    survivor.happen({ kind: "merge", moved: moved.profile });
    expect(survivor.told()).toEqual([["acme", ["buyers"]]]);
    completeRelease(moved.profile);
    expect([moved.told(), moved.profile.accounts.size]).toEqual([[], 0]);
  });

  test("of a suppressed user again when somebody asks anew: the user stays in audiences until that is over", () => {
    const user = new User();
    user.call("Bought", "acme");
    user.told();
    user.happen({ kind: "suppress", sourceId: null, isSuppressed: true });
    expect(user.told()).toEqual([]);
    tellAccounts(user.profile, SET.told, true);
    expect(user.told()).toEqual([["acme", ["buyers"]]]);
  });

  test("of at most a hundred, and not by calls without a userId; what is left out is told", () => {
    const user = new User();
    user.call("Seen", "nobody", { userId: "" });
    for (let index = 0; index <= MAX_ACCOUNTS; index += 1) user.call("Seen", `group-${index}`);
    expect(user.profile.accounts.has("nobody")).toBe(false);
    expect(user.profile.accounts.size).toBe(MAX_ACCOUNTS);
    expect(user.profile.incompleteFor).toEqual(new Set(["buyers"]));
  });

  test("of none for whom there is no room once they are told", () => {
    const user = new User();
    for (let index = 0; index < MAX_ACCOUNTS; index += 1) user.call("Seen", `${index}`.padEnd(650, "x"));
    user.call("Bought", null);
    expect(user.told()).toHaveLength(user.profile.accounts.size);
    expect(user.profile.sizeBytes).toBeLessThan(MAX_PROFILE_BYTES);
  });

  test("of none for whose name the profile has no room, also by a merge", () => {
    const [moved, survivor] = [new User("old"), new User("ann")];
    for (const id of ["a", "b", "c"]) moved.call("Seen", id.padEnd(30_000, "x"));
    for (const id of ["d", "e", "f"]) survivor.call("Seen", id.padEnd(30_000, "x"));
    survivor.happen({ kind: "merge", moved: moved.profile });
    expect([moved.profile.accounts.size, survivor.profile.accounts.size]).toEqual([2, 2]);
    expect(survivor.profile.incompleteFor).toEqual(new Set(["buyers"]));
  });
});

describe("a user in thirty audiences that accounts are told about", () => {
  const ids = Array.from({ length: 30 }, (_, index) => `aud_${index}`).sort();
  const members = { any: ids.map((id) => ({ audience: id })) };
  const set = compileSet([
    ...ids.map((id) => audience(id, { event: "Bought" })),
    audience("any", { of: "accounts", members }),
  ]);

  test("is told to a hundred accounts, and goes on", () => {
    const user = new User();
    for (let index = 0; index < MAX_ACCOUNTS; index += 1) user.call("Bought", `group-${index}`, { set });
    expect(user.told()).toEqual(Array.from(user.profile.accounts.keys(), (account) => [account, ids]));
    expect(user.profile.accounts.size).toBe(MAX_ACCOUNTS);
    expect(user.profile.sizeBytes).toBeLessThan(20_000);
    expect(user.profile.sizeBytes).toBe(profileBytes(user.profile));
  });

  test("goes on where a version before has kept all ids, and nothing is told again", () => {
    const user = new User();
    for (let index = 0; index < MAX_ACCOUNTS; index += 1) user.call("Bought", `group-${index}`, { set });
    for (const groupId of user.profile.accounts.keys())
      user.profile.accounts.set(groupId, { told: ids, toldAtMs: NOW_MS });
    user.profile.sizeBytes = profileBytes(user.profile);
    user.told();
    expect(user.profile.sizeBytes).toBeGreaterThan(MAX_PROFILE_BYTES);
    user.call("Seen", "group-0", { set });
    expect([user.profile.uncounted, user.told()]).toEqual([UNCOUNTED.nothing, []]);
    expect(user.profile.sizeBytes).toBeLessThan(20_000);
  });
});

describe("an account", () => {
  const fact = (userId: string, audienceKeys: string[], atMs: number) =>
    ({ kind: "member", userId, audienceKeys, atMs }) as const;
  const textOf = ({ profile }: User) => profile.results.get("sold")?.text;

  test("takes the later of two facts, whichever comes first", () => {
    const account = new User(accountProfileId("acme"));
    account.happen(fact("ann", ["buyers"], 5));
    account.happen(fact("bob", [], 7));
    account.happen(fact("bob", ["buyers"], 6));
    expect(textOf(account)).toBeUndefined();
    account.happen(fact("bob", ["buyers"], 8));
    expect(textOf(account)).toBe("true");
    account.happen(fact("ann", ["others"], 9));
    expect(textOf(account)).toBe("false");
  });

  test("keeps a thousand members, and drops those first who are none any more", () => {
    const account = new User(accountProfileId("acme"));
    for (let index = 0; index < 1_000; index += 1) account.happen(fact(`user-${index}`, [], 5));
    for (let index = 0; index < 1_000; index += 1) account.happen(fact(`other-${index}`, ["buyers"], 5));
    expect([textOf(account), account.profile.incompleteFor.size]).toEqual(["true", 0]);
    account.happen(fact("one more", ["buyers"], 5));
    expect(account.profile.incompleteFor).toEqual(new Set(["sold"]));
    const { id, sizeBytes } = account.profile;
    expect(sizeBytes).toBe(profileBytes(account.profile));
    expect(sizeBytes).toBe(profileFromRecord(id, profileToRecord(account.profile)).sizeBytes);
  });
});
