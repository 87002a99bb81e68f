// Previews of audiences of accounts that ask in which audiences members are: from one look at all users.
import { describe, expect, test } from "@jest/globals";
import { accountProfileId, createProfile, explainConditions, type Profile } from "#audiences";
import { audienceProgressKey } from "#topics";
import type { ProfileReader, ToldState } from "../../records/profiles/replica.ts";
import { Slices } from "../../records/profiles/slices.ts";
import { createAudience } from "./audience.ts";
import { progressOf } from "./fixtures/progress.ts";
import type { MemberParts } from "./member-parts.ts";
import { previewOf } from "./preview.ts";

const audience = (key: string, definition: unknown) =>
  createAudience({ id: `aud_${key}`, key, name: key, resource: "audience", definition }, 1);

const of = "accounts";
const DEFINITION = { of, members: { audience: "buyers" }, count: { op: "gte", value: 2 }, everyone: true };
const ASKED = audience("asked", DEFINITION);
/** Where it is live, accounts know who is in `buyers`. */
const KNOWN = audience("known", { of, members: { audience: "buyers" } });
const USERS = [audience("buyers", { event: "Bought" }), audience("payers", { event: "Paid" })];

/** By userId, the accounts that the user has named; all of them are in both audiences. */
type Users = Readonly<Record<string, readonly string[]>>;

class World {
  readonly #ids: readonly string[];
  readonly #users: Users;
  /** Of each look at a user or an account. */
  lookMs = 0;
  live = ["aud_buyers", "aud_payers"];
  looked = 0;
  elapsedMs = 0;

  constructor(users: Users, accounts: readonly string[]) {
    this.#users = users;
    this.#ids = [...Object.keys(users), ...accounts.map(accountProfileId)].sort();
  }

  get #progress() {
    return new Map(
      this.live.map((id) => [audienceProgressKey({ id, partition: 0 }), progressOf(id, 0)] as const),
    );
  }

  #told(id: string): ToldState | undefined {
    const accounts = this.#users[id];
    if (accounts === undefined) return undefined;
    const sent = { text: "true", seq: 1, sinceMs: 1, generation: 1, deadlineMs: null };
    return {
      accounts: accounts.map((groupId) => ({ groupId, told: [], toldAtMs: 0 })),
      results: USERS.map(({ id: computationId }) => ({ computationId, ...sent })),
    };
  }

  *#idsBehind(after: string): Generator<string> {
    for (let at = this.#ids.indexOf(after) + 1; at < this.#ids.length; at += 1) yield this.#ids[at] ?? "";
  }

  #look<T>(value: T): T {
    this.elapsedMs += this.lookMs;
    return value;
  }

  parts(): MemberParts {
    const host = {
      elapsed: () => this.elapsedMs,
      setImmediate(work: () => void) {
        setImmediate(work);
        return { clear: () => undefined };
      },
    };
    const profiles: Pick<ProfileReader, "count" | "ids" | "partitions" | "read" | "toldState"> = {
      count: this.#ids.length,
      partitions: 1,
      ids: (_, after = "") => this.#idsBehind(after),
      read: async (_, id): Promise<Profile> =>
        this.#look({ ...createProfile(id, 0), appliedOffset: 0, judgedAtMs: 1 }),
      toldState: async (_, id) => {
        this.looked += 1;
        return this.#look(this.#told(id));
      },
    };
    const parts = {
      host,
      profiles,
      nowMs: () => 1,
      slices: new Slices(host),
      profilePartitions: 1,
      pace: { backfillPerSecond: 1_000 },
      audiences: { list: () => [...USERS, KNOWN] },
      audienceProgress: { get: (key: string) => this.#progress.get(key) },
    };
    return parts as unknown as MemberParts;
  }

  preview(config = ASKED) {
    return previewOf(this.parts(), config, async (audience, asked) => ({
      why: await explainConditions(audience, asked),
    }));
  }
}

const many = (count: number, named: (index: number) => readonly string[]): Users =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`u${String(at).padStart(6, "0")}`, named(at)]),
  );

describe("a preview that asks in which audiences members are", () => {
  test("counts users by the accounts that each has named, and says why", async () => {
    const world = new World({ ann: ["acme", "globex"], bob: ["acme"], cid: [] }, ["acme", "globex", "none"]);
    expect(await world.preview()).toMatchObject({
      ...{ estimatedCount: 1, isExact: true, countError: 0, unknownAudiences: [], unknownCalls: [] },
      ...{ profiles: 3, profilesJudged: 3 },
      sample: [{ groupId: "acme", why: [{ path: "definition", holds: true, value: 2 }] }],
    });
    const none = { ...DEFINITION, count: { op: "eq", value: 0 } };
    const config = { ...ASKED, definition: JSON.stringify(none) };
    expect(await world.preview(config)).toMatchObject({ estimatedCount: 1, sample: [{ groupId: "none" }] });
  });

  test("is exact of some accounts among many users", async () => {
    const world = new World(
      many(20_100, (at) => [`a${at % 50}`]),
      Array.from({ length: 50 }, (_, at) => `a${at}`),
    );
    expect(await world.preview()).toMatchObject({
      ...{ estimatedCount: 50, isExact: true, countError: 0, profiles: 50, profilesJudged: 50 },
    });
  }, 30_000);

  test("says that not every user is known when three seconds do not reach all, and judges in the rest", async () => {
    const world = new World(
      many(400, () => ["acme"]),
      ["acme"],
    );
    world.lookMs = 10;
    expect(await world.preview()).toMatchObject({
      ...{ estimatedCount: 1, isExact: false, countError: null, unknownAudiences: ["buyers"] },
      ...{ profilesJudged: 1 },
    });
    expect(world.elapsedMs).toBeLessThanOrEqual(3_100);
  });

  test("keeps no more of users than is bounded, and says so", async () => {
    const accounts = Array.from({ length: 100 }, (_, at) => `a${at}`);
    const world = new World(
      many(3_100, () => accounts),
      ["a1"],
    );
    expect(await world.preview()).toMatchObject({ isExact: false, unknownAudiences: ["buyers"] });
    expect(world.looked).toBe(3_001);
  }, 30_000);

  test("says that an audience is not known that is being prepared", async () => {
    const world = new World({ ann: ["acme"], bob: ["acme"] }, ["acme"]);
    world.live = ["aud_payers"];
    expect(await world.preview()).toMatchObject({ isExact: false, unknownAudiences: ["buyers"] });
  });

  test("looks at no user for what an audience of accounts that is named asks for; otherwise accounts learn all at once", async () => {
    const world = new World({ ann: ["acme"] }, ["acme"]);
    world.live.push("aud_known");
    const named = { audience: "known" };
    const asked = audience("asked", { of, ...named });
    expect(await world.preview(asked)).toMatchObject({ estimatedCount: 0, isExact: true });
    expect(world.looked).toBe(0);
    const both = { of, all: [named, { members: { audience: "payers" } }] };
    expect(await world.preview(audience("asked", both))).toMatchObject({ estimatedCount: 1 });
  });

  test("leaves out members of which an account does not keep so many, and says so", async () => {
    const world = new World(
      many(1_001, () => ["acme"]),
      ["acme"],
    );
    expect(await world.preview()).toMatchObject({
      sample: [{ why: [{ value: 1_000, isOverflowing: true }] }],
    });
  });
});
