// Replays on real Kafka; the dead letters are written by the test, and the jobs are read back from their topic.
import { describe, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import { deadLetter } from "#support/records";
import { until } from "#support/until";
import { control, sourceId, topics, useTopics } from "../../deliveries/fixtures/use-topics.ts";

useTopics();

async function createDestination(more: object = {}): Promise<string> {
  const body = {
    name: "D",
    enabled: true,
    sourceIds: [sourceId],
    webhooks: [{ url: "https://a.test/hook" }],
    ...more,
  };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

/** Makes this many dead letters of a destination. */
async function die(
  destinationId: string,
  count: number,
  more: Parameters<typeof deadLetter>[0] = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${destinationId}-${index}`);
  const letters = ids.map((id, index) =>
    deadLetter({ id, destinationId, messageId: `${id}-m`, deadAtMs: Date.now(), shard: index % 4, ...more }),
  );
  await topics.write(control.topics.deadLetters, letters);
  return ids;
}

const start = (body: object) => control.ask("/v1/dead-letters/replay", { body });
const replayOf = async (id: string) => (await control.ask(`/v1/replays/${id}`)).body;

async function untilState(id: string, state: string) {
  return await until(async () => ((await replayOf(id)).state === state ? await replayOf(id) : false), {
    timeoutMs: 60_000,
    what: `the replay to be ${state}`,
  });
}

const jobsOf = async (destinationId: string) =>
  (await topics.jobs()).filter((job) => job.destinationId === destinationId);

describe("a replay (contract 3.7, 10.6)", () => {
  test("of dead letters by their ids makes them jobs again, and they show it", async () => {
    const destinationId = await createDestination();
    const [one, two] = await die(destinationId, 3);
    const { status, body, headers } = await start({ ids: [two, one, two] });
    expect([status, body]).toEqual([
      202,
      { replayId: expect.stringMatching(/^rpl_/), matched: 2, skipped: 0 },
    ]);
    expect(headers.get("location")).toBe(`/v1/replays/${body.replayId}`);
    const replay = await untilState(body.replayId, "finished");
    expect(replay).toMatchObject({ matched: 2, replayed: 2, expired: 0, deadAgain: 0, ids: [two, one] });
    const jobs = await jobsOf(destinationId);
    expect(jobs.map(({ jobId }) => jobId).sort()).toEqual(
      [one, two].map((id) => replayJobId(id ?? "", body.replayId)).sort(),
    );
    const job = jobs.find(({ messageId }) => messageId === `${two}-m`);
    const { body: died } = deadLetter();
    expect(job).toMatchObject({
      attempts: 0,
      firstAttemptAtMs: null,
      outcomes: [],
      shard: 1,
      replayId: body.replayId,
    });
    expect(job?.body.equals(died)).toBe(true);
    const listed = (await control.ask(`/v1/dead-letters?destinationId=${destinationId}`)).body.data;
    const replays = Object.fromEntries(
      listed.map((letter: { id: string; replayIds: string[] }) => [letter.id, letter.replayIds]),
    );
    expect(replays).toEqual({
      [`${one}`]: [body.replayId],
      [`${two}`]: [body.replayId],
      [`${destinationId}-2`]: [],
    });
  }, 180_000);

  test("is counted by a dry run, which needs the same, sends nothing, and keeps no Idempotency-Key", async () => {
    const destinationId = await createDestination();
    await die(destinationId, 3);
    const headers = { "idempotency-key": `dry-${destinationId}` };
    const ask = (body: object) =>
      control.ask("/v1/dead-letters/replay", { headers, body: { destinationId, ...body } });
    const counted = await ask({ dryRun: true });
    expect([counted.status, counted.body]).toEqual([
      200,
      { calls: 3, atLeast: 3, skipped: 0, recordsRead: null, recordsToRead: null },
    ]);
    expect((await ask({ dryRun: true, reason: "window_over" })).body.calls).toBe(0);
    expect((await start({ destinationId: "none", dryRun: true })).status).toBe(422);
    expect((await start({ dryRun: true })).status).toBe(422);
    expect((await control.ask(`/v1/replays?destinationId=${destinationId}`)).body.data).toEqual([]);
    const audited = (await control.ask("/v1/audit?resource=replay")).body.data;
    expect(
      audited.filter(
        (entry: { after: { destinationId: string } }) => entry.after.destinationId === destinationId,
      ),
    ).toEqual([]);
    const begun = await ask({ dryRun: false });
    expect([begun.status, begun.body.matched]).toEqual([202, 3]);
    await untilState(begun.body.replayId, "finished");
    expect(await jobsOf(destinationId)).toHaveLength(3);
  }, 180_000);

  test("of a destination that was deleted goes to another one, named by ids or as a whole; its letters are not called replayable", async () => {
    const deletedId = await createDestination();
    const [one, two] = await die(deletedId, 2, { reason: "destination_gone" });
    await control.ask(`/v1/destinations/${deletedId}`, { method: "DELETE" });
    const otherId = await createDestination();
    const letters = async () => (await control.ask(`/v1/dead-letters?destinationId=${deletedId}`)).body.data;
    await until(async () => (await letters()).length === 2, { timeoutMs: 60_000, what: "the letters" });
    expect((await letters()).map(({ replayable }: { replayable: boolean }) => replayable)).toEqual([
      false,
      false,
    ]);
    expect((await start({ ids: [one] })).status).toBe(422);
    expect((await start({ destinationId: deletedId })).status).toBe(422);

    const named = await start({ ids: [one], destinationId: otherId });
    expect([named.status, named.body.matched]).toEqual([202, 1]);
    const whole = await start({ destinationId: deletedId, toDestinationId: otherId });
    expect([whole.status, whole.body.matched]).toEqual([202, 2]);
    for (const { body } of [named, whole])
      expect(await untilState(body.replayId, "finished")).toMatchObject({ toDestinationId: otherId });
    const messageIds = (await jobsOf(otherId)).map(({ messageId }) => messageId);
    expect(messageIds.sort()).toEqual([`${one}-m`, `${one}-m`, `${two}-m`]);
    expect(await jobsOf(deletedId)).toEqual([]);
  }, 180_000);

  test("of a destination takes what has died until now, reason by reason, and skips what is no call", async () => {
    const destinationId = await createDestination();
    await die(destinationId, 3, { reason: "window_over" });
    await topics.write(control.topics.deadLetters, [
      deadLetter({ id: `${destinationId}-raw`, destinationId, messageId: null, reason: "window_over" }),
      deadLetter({ id: `${destinationId}-other`, destinationId }),
    ]);
    const { body } = await start({ destinationId, reason: "window_over" });
    expect(body).toMatchObject({ matched: 3, skipped: 1 });
    // Its own calls that die again are not meant: it would never end.
    await die(`${destinationId}`, 1, {
      id: `${destinationId}-again`,
      reason: "window_over",
      replayId: body.replayId,
    });
    await untilState(body.replayId, "finished");
    expect(await jobsOf(destinationId)).toHaveLength(3);
    const again = async () => (await control.ask(`/v1/dead-letters?replayId=${body.replayId}`)).body.data;
    await until(async () => (await again()).length === 1, {
      timeoutMs: 60_000,
      what: "the dead letter's replay",
    });
    expect(await replayOf(body.replayId)).toMatchObject({ deadAgain: 1, replayed: 3 });
  }, 180_000);

  test("of a thousand keeps its pace and shows its progress", async () => {
    const destinationId = await createDestination();
    await die(destinationId, 1_000);
    const startedAtMs = performance.now();
    const { body } = await start({ destinationId, callsPerSecond: 400 });
    expect(body.matched).toBe(1_000);
    const partly = await until(
      async () => {
        const replay = await replayOf(body.replayId);
        return replay.replayed > 0 ? replay : false;
      },
      { timeoutMs: 30_000, what: "progress" },
    );
    expect(partly.replayed).toBeLessThan(1_000);
    const { replayed } = await untilState(body.replayId, "finished");
    // Ten steps of 100 with nine pauses of 250 ms between them.
    expect(performance.now() - startedAtMs).toBeGreaterThan(2_200);
    const jobs = await jobsOf(destinationId);
    expect([replayed, jobs.length, new Set(jobs.map(({ messageId }) => messageId)).size]).toEqual([
      1_000, 1_000, 1_000,
    ]);
  }, 180_000);

  test("that is cancelled sends no more, and stays cancelled", async () => {
    const destinationId = await createDestination();
    await die(destinationId, 100);
    const { body } = await start({ destinationId, callsPerSecond: 4 });
    await until(async () => (await jobsOf(destinationId)).length > 0, {
      timeoutMs: 30_000,
      what: "its first call",
    });
    const cancelled = await control.ask(`/v1/replays/${body.replayId}`, { method: "DELETE" });
    expect([cancelled.status, cancelled.body.state]).toEqual([202, "cancelled"]);
    const sent = (await jobsOf(destinationId)).length;
    await until(async () => (await control.metrics()).includes("hookline_control_replays_running 0"), {
      timeoutMs: 60_000,
      what: "its owner to end it",
    });
    // The one call that a step sends at this pace may have been under way.
    const jobs = (await jobsOf(destinationId)).length;
    expect(jobs - sent).toBeLessThanOrEqual(1);
    const counted = await until(
      async () => {
        const replay = await replayOf(body.replayId);
        return replay.replayed === jobs && replay;
      },
      { timeoutMs: 60_000, what: "the replay to say how many it sent" },
    );
    expect(counted).toMatchObject({ state: "cancelled" });
    expect((await control.ask(`/v1/replays/${body.replayId}`, { method: "DELETE" })).status).toBe(409);
  }, 180_000);
});
