import { describe, expect, test } from "@jest/globals";
import { userHash } from "#topics";
import { regulation, START_MS } from "./fixtures/regulation.ts";
import { ended, newRegulation, nextNotifications, notified } from "./regulation.ts";
import { regulationView } from "./schemas.ts";

describe("a regulation", () => {
  test("names each user once", () => {
    const made = { id: "reg_1", regulationType: "UNSUPPRESS", sourceId: null, sourceIds: [] } as const;
    const { subjectIds, subjectCount } = newRegulation({ ...made, subjectIds: ["b", "a", "b"], nowMs: 0 });
    expect([subjectIds, subjectCount]).toEqual([["b", "a"], 2]);
  });

  test("notifies source by source, of a step's users at a time", () => {
    let now = regulation({ subjectIds: ["u1", "u2", "u3"] });
    const seen: string[] = [];
    for (let next = nextNotifications(now, 2); next !== undefined; next = nextNotifications(now, 2)) {
      seen.push(`${next.sourceId}: ${next.userIds}`);
      now = notified(now, next.userIds.length, START_MS);
    }
    expect(seen).toEqual(["s1: u1,u2", "s1: u3", "s2: u1,u2", "s2: u3"]);
    expect(now).toMatchObject({ notified: 6, sourcesDone: 2, subjectsDone: 0 });
  });

  test("that has ended keeps no user id; a deletion keeps their hashes, sorted", () => {
    const { subjectIds, subjectHashes } = ended(regulation({ subjectIds: ["u1", "u2", "u3"] }), START_MS);
    const hashes = ["u1", "u2", "u3"].map((user) => Buffer.from(userHash(user), "base64url"));
    expect(subjectIds).toEqual([]);
    expect(subjectHashes).toEqual(Buffer.concat(hashes.sort(Buffer.compare)));
    expect(ended(regulation({}, "SUPPRESS_ONLY"), START_MS).subjectHashes).toHaveLength(0);
  });
});

describe("what is shown of a regulation", () => {
  const statuses = (...shown: Parameters<typeof regulation>) => {
    const { status, sources } = regulationView(regulation(...shown));
    return [status, ...sources.map((source) => source.status)];
  };

  test("is how far each source is", () => {
    expect(statuses()).toEqual(["initialized", "initialized", "initialized"]);
    expect(statuses({ state: "running", subjectsDone: 1 })).toEqual(["running", "running", "initialized"]);
    expect(statuses({ state: "running", sourcesDone: 1 })).toEqual(["running", "finished", "running"]);
    const failed = { sourcesDone: 2, failedSourceIds: ["s1"] };
    expect(statuses({ state: "failed", ...failed })).toEqual(["failed", "failed", "finished"]);
  });

  test("of a suppression is the same for all sources: it is written for all of them at once", () => {
    expect(statuses({}, "SUPPRESS_ONLY")).toEqual(["initialized", "initialized", "initialized"]);
    expect(statuses({ state: "finished" }, "UNSUPPRESS")).toEqual(["finished", "finished", "finished"]);
  });

  test("has no user id", () => {
    const view = regulationView(regulation({ subjectIds: ["secret-user"] }));
    expect(JSON.stringify(view)).not.toContain("secret-user");
    expect(view).toMatchObject({
      subjectCount: 1,
      subjectType: "USER_ID",
      createdAt: "2026-11-21T12:00:00.000Z",
    });
  });
});
