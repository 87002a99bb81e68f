import { expect, test } from "@jest/globals";
import { userProfileId } from "#audiences";
import { systemHost } from "#host";
import { job as jobRecord } from "#support/records";
import type { DeliveryJob } from "#topics";
import type { SentState } from "../records/profiles/replica.ts";
import { Slices } from "../records/profiles/slices.ts";
import { type AffectedUsersParts, countAffected } from "./affected-users.ts";
import { listed } from "./dead-letters/fixtures/listed-dead-letter.ts";
import type { ListedDeadLetter } from "./index/dead-letters-table.ts";
import type { FoundJob } from "./waiting/reader.ts";

const AUDIENCES = [
  { id: "aud_1", kind: "audience", deletedAtMs: null },
  { id: "lst_1", kind: "list", deletedAtMs: null },
  { id: "trt_1", kind: "trait", deletedAtMs: null },
  { id: "gone", kind: "audience", deletedAtMs: 1 },
];

const job = (jobId: string, changes: Partial<DeliveryJob>): DeliveryJob =>
  jobRecord({ jobId, messageId: jobId, receivedAtMs: 0, ...changes });

/** u1 is in an audience and a list, u2 in the audience; of u3 nothing is known. */
const STATES: Readonly<Record<string, readonly (readonly [id: string, text: string])[]>> = {
  u1: [
    ["aud_1", "true"],
    ["lst_1", "true"],
    ["trt_1", "true"],
    ["gone", "true"],
  ],
  u2: [
    ["aud_1", "true"],
    ["lst_1", "false"],
  ],
};

function partsWith(changes: Partial<AffectedUsersParts> = {}): AffectedUsersParts {
  const jobs = [
    job("a", {}),
    job("b", { userId: "other" }),
    job("c", { sourceId: "s2" }),
    job("d", { type: "alias", userId: "new", body: Buffer.from('{"previousId":"u2"}') }),
  ];
  const letters: ListedDeadLetter[] = [
    listed({ place: 3, userId: "u1", sourceId: "s1" }),
    listed({ place: 2, userId: "other", sourceId: "s1" }),
    listed({ place: 1, userId: "u2", sourceId: "s2" }),
  ];
  return {
    destinations: { placeOf: (id) => (id === "d1" ? { id, createdAtMs: 1 } : undefined) },
    waiting: {
      async scan({ onJob }) {
        for (const [offset, one] of jobs.entries())
          await onJob({ place: { topic: 0, partition: 0, offset }, topicName: "t", value: one } as never);
        return undefined;
      },
      decode: async ({ value }: FoundJob) => value as never,
    },
    deliveries: { index: { listDeadLetters: (_, { behind }) => (behind === undefined ? letters : []) } },
    audiences: { list: () => AUDIENCES },
    profiles: {
      needed: async () => undefined,
      async survivorOf(id) {
        const results = STATES[id.slice(userProfileId("").length)];
        if (results === undefined) return undefined;
        const sent = results.map(([computationId, text]) => ({ computationId, text }));
        return { id, state: { results: sent } as unknown as SentState };
      },
    },
    hasAudiences: true,
    slices: new Slices(systemHost),
    host: systemHost,
    ...changes,
  };
}

const USERS = new Set(["u1", "u2", "u3"]);
const counted = async (parts: AffectedUsersParts, sourceId: string | null = null) =>
  Object.entries(await countAffected(parts, { userIds: USERS, sourceId })).map(
    ([name, { atLeast, isComplete }]) => [name, isComplete ? atLeast : `at least ${atLeast}`],
  );

test("what there is of users is counted, in all sources or in one", async () => {
  const ofProfiles = [
    ["profiles", 2],
    ["audiences", 2],
    ["memberships", 3],
  ];
  expect(await counted(partsWith())).toEqual([...ofProfiles, ["waitingCalls", 3], ["deadLetters", 2]]);
  // Profiles are of no source.
  expect(await counted(partsWith(), "s2")).toEqual([...ofProfiles, ["waitingCalls", 1], ["deadLetters", 1]]);
});

test("without audiences nobody is known to them", async () => {
  const profiles = {
    needed: () => Promise.reject(new Error("not asked")),
    survivorOf: async () => undefined,
  };
  const answer = await counted(partsWith({ hasAudiences: false, profiles }));
  expect(answer.slice(0, 3)).toEqual([
    ["profiles", 0],
    ["audiences", 0],
    ["memberships", 0],
  ]);
});

test("what cannot be counted in time says so, and does not hold up the rest", async () => {
  const late = (): Promise<never> => Promise.reject(new Error("late"));
  let elapsedMs = 0;
  const host = { ...systemHost, elapsed: () => (elapsedMs += 1_500) };
  const unread = await counted(partsWith({ profiles: { needed: late, survivorOf: late } }));
  expect(unread).toEqual([
    ["profiles", "at least 0"],
    ["audiences", "at least 0"],
    ["memberships", "at least 0"],
    ["waitingCalls", 3],
    ["deadLetters", 2],
  ]);
  const place = { topic: 0, partition: 0, offset: 0 };
  const waiting = { scan: async () => place, decode: late };
  const letters = Array.from({ length: 1_000 }, () => listed({ userId: "u1", sourceId: "s1" }));
  const deliveries = { index: { listDeadLetters: () => letters } };
  expect(await counted(partsWith({ deliveries, host, waiting }))).toEqual([
    ["profiles", "at least 1"],
    ["audiences", "at least 2"],
    ["memberships", "at least 2"],
    ["waitingCalls", "at least 0"],
    ["deadLetters", "at least 50000"],
  ]);
});
