// A preview of accounts by the audiences of their members, over HTTP and on real Kafka: the processor's records are written by the test.
import { expect, test } from "@jest/globals";
import { createProfile, type Profile } from "#audiences";
import { until } from "#support/until";
import { progressOf } from "./fixtures/progress.ts";
import { control, processor, useProcessor } from "./fixtures/use-processor.ts";

useProcessor();

/** Of profiles. */
const PARTITIONS = [0, 1];
const SEEN = { timeoutMs: 30_000, what: "the profiles to be seen" };

const judged = (id: string): Profile => ({ ...createProfile(id, 0), appliedOffset: 0, judgedAtMs: 1 });

/** A user who was sent this of the audience, and whose calls have named the accounts. */
function userIn(
  audienceId: string,
  id: string,
  { groups, text = "true" }: { groups: string[]; text?: string },
) {
  const profile = judged(id);
  const sent = { text, seq: 1, sinceMs: 1, generation: 1, deadlineMs: Number.POSITIVE_INFINITY };
  profile.results.set(audienceId, sent);
  for (const groupId of groups) profile.accounts.set(groupId, { told: [], toldAtMs: 0 });
  return profile;
}

test("accounts are counted by what users were sent, suppressed ones too, and no more once they have left", async () => {
  const definition = { event: "Bought" };
  const { id } = (await control.ask("/v1/audiences", { body: { name: "Buyers", definition } })).body;
  const of = "accounts";
  const preview = async (more: object) => {
    const asked = { of, members: { audience: "buyers" }, ...more };
    return (await control.ask("/v1/audiences/preview", { body: { definition: asked } })).body;
  };
  const suppressed = userIn(id, "sue", { groups: ["globex"] });
  suppressed.suppressions = [{ sourceId: null, fromOffset: 0, toOffset: null }];
  await processor.keep(
    userIn(id, "ann", { groups: ["acme", "initech"] }),
    userIn(id, "user:group:x", { groups: ["acme"] }),
    userIn(id, "left", { groups: ["initech"], text: "false" }),
    suppressed,
    ...["acme", "initech", "globex", "empty"].map((groupId) => judged(`group:${groupId}`)),
  );
  const all = { count: { op: "gte", value: 0 }, everyone: true };
  await until(async () => (await preview(all)).estimatedCount === 4, SEEN);
  expect(await preview(all)).toMatchObject({ exact: false, countError: null, unknownAudiences: ["buyers"] });
  await processor.report(...PARTITIONS.map((partition) => progressOf(id, partition)));
  await until(async () => (await preview(all)).unknownAudiences.length === 0, SEEN);

  const counts = async (op: string, value: number) => {
    const { countError, profiles, sample } = await preview({ count: { op, value }, everyone: true });
    expect([countError, profiles]).toEqual([0, 4]);
    return sample
      .map(({ groupId, why }: { groupId: string; why: [{ value: number }] }) => `${groupId} ${why[0].value}`)
      .sort();
  };
  expect(await counts("gte", 1)).toEqual(["acme 2", "globex 1", "initech 1"]);
  expect(await counts("gte", 2)).toEqual(["acme 2"]);
  expect(await counts("eq", 0)).toEqual(["empty 0"]);
});
