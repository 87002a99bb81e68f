// Profiles survive the way through their Avro record, whatever has happened to them.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { profileFromRecord } from "#audiences";
import { createSerde, type Registry } from "#serde";
import type { ProfileState, Topic } from "#topics";
import { anyCase } from "./case.ts";
import { differenceIn } from "./run-case.ts";

const TOPIC: Topic<"profile"> = {
  name: "profiles",
  key: "profileId",
  record: "profile",
  cleanup: { policy: "compact" },
  writtenBy: ["audience-processor"],
  readBy: ["audience-processor"],
};

type RawSchema = Parameters<Registry["idOf"]>[1];

function registryOf(): Registry {
  let known: RawSchema | undefined;
  const remember = async (_subject: string, schema: RawSchema): Promise<number> => {
    known = schema;
    return 1;
  };
  return {
    idOf: remember,
    register: remember,
    requireBackwardCompatibility: async () => undefined,
    schemaOf: async () => known ?? "null",
  };
}

/** What stands in each record once: its header, numbers and marks, six moments, and where eleven lists begin and end. */
const FIXED_BYTES = 5 + 15 + 6 * 7 + 11 * 2;

test("through Avro and back, never larger than counted, the product sends what recomputing everything gives", async () => {
  const serde = createSerde({ registryUrl: "", topics: [TOPIC], registry: registryOf() });
  await serde.register();
  const empty: ProfileState = {
    incarnation: 0,
    appliedOffset: -1,
    version: 0,
    nextDeadlineMs: null,
    judgedAtMs: 0,
    isFrozen: false,
    redirectTo: null,
    deletedAtMs: null,
    recentCalls: Buffer.alloc(0),
    traits: [],
    events: [],
    leaves: [],
    lists: [],
    results: [],
    backfilled: [],
    outbox: [],
    outboxOffset: null,
    changedUntilMs: 0,
    linkedAtMs: null,
    suppressions: [],
    incompleteFor: [],
    uncounted: 0,
    seenAtMs: 0,
    moves: [{ computationId: "a", by: 1, batch: 7, hour: 9, entered: 2, left: 1, members: 5 }],
    forgottenTo: 0,
    accounts: [],
  };
  // The first one waits for the registry, those after it do not.
  await serde.decode(TOPIC, serde.encode(TOPIC, empty));
  const rewrite = (record: ProfileState): ProfileState => {
    const state = { ...record, outbox: [], recentCalls: Buffer.alloc(0) };
    const { sizeBytes } = profileFromRecord("u1", record);
    expect(serde.encode(TOPIC, state).length).toBeLessThanOrEqual(sizeBytes + FIXED_BYTES);
    return serde.decode(TOPIC, serde.encode(TOPIC, record)) as ProfileState;
  };
  expect({ ...rewrite(empty) }).toEqual(empty);
  fc.assert(
    fc.property(anyCase, (given) => {
      const steps = given.steps.flatMap((step) => [step, { kind: "reload" as const }]);
      expect(differenceIn({ ...given, steps }, rewrite)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
  serde.close();
});
