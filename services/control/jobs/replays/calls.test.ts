// Replays of calls on real Kafka; the calls are written by the test, as routers and deliverers leave them behind.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { replayJobId } from "#contract";
import { requestJson } from "#support/api";
import { deadLetter } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import { type ServiceProcess, startService } from "#support/service";
import { until } from "#support/until";
import type { DeliveryJob } from "#topics";
import { control, topics, useTopics } from "../../deliveries/fixtures/use-topics.ts";
import { openSentCalls, type SentCalls, sentJob } from "./fixtures/sent-calls.ts";

interface ShownReplay {
  readonly state: string;
  readonly replayed: number;
}

let sent: SentCalls;

afterAll(() => sent?.close());
useTopics();
beforeAll(async () => {
  sent = await openSentCalls(control);
});

async function createDestination(): Promise<string> {
  const body = { name: "D", enabled: true, sourceIds: [], webhooks: [{ url: "https://a.test/hook" }] };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

async function untilFinished(url: string, id: string): Promise<ShownReplay> {
  return await until(
    async () => {
      const { body } = await requestJson<ShownReplay>(`${url}/v1/replays/${id}`);
      return body.state === "finished" && body;
    },
    { timeoutMs: 60_000, what: "the replay to finish" },
  );
}

const replayedJobs = async (replayId: string): Promise<DeliveryJob[]> =>
  (await topics.jobs()).filter((job) => job.replayId === replayId);

const idsOf = (jobs: readonly DeliveryJob[]): string[] => jobs.map(({ messageId }) => messageId).sort();

test("delivered calls are sent again, to another destination too; what died, waits, is queued or was deleted is not", async () => {
  const [id, otherId] = [await createDestination(), await createDestination()];
  const { deadLetters, deliveryJobs, deliveryRetries } = control.topics;
  const jobs = [0, 1, 2, 3, 4].map((number) => sentJob(id, number));
  const [delivered, page, died, waits, deleted] = jobs;
  if (!delivered || !page || !died || !waits || !deleted || !deliveryRetries[0]) throw new Error("five jobs");
  await sent.write(deliveryJobs, [delivered, { ...page, type: "page" }, died, waits, deleted]);
  await topics.write(deadLetters, [deadLetter({ ...died, id: died.jobId, deadAtMs: Date.now() })]);
  await sent.write(deliveryRetries[0], [{ ...waits, attempts: 1 }]);
  await sent.settle();
  await sent.write(deliveryJobs, [sentJob(id, 5)]);
  const subjects = { subjectType: "USER_ID", subjectIds: ["u4"] };
  const deletion = { regulationType: "DELETE_ONLY", ...subjects };
  expect((await control.ask("/v1/regulations", { body: deletion })).status).toBe(202);

  const replay = async (body: object) => {
    const answer = await control.ask("/v1/replays", { body: { destinationId: id, ...body } });
    expect(answer.status).toBe(202);
    const shown = await untilFinished(control.url, answer.body.replayId);
    return { shown, jobs: await replayedJobs(answer.body.replayId) };
  };
  const counted = async (body: object) =>
    await control.ask("/v1/replays", { body: { destinationId: id, dryRun: true, ...body } });
  const inAll = await counted({ which: "all" });
  expect([inAll.status, inAll.body]).toMatchObject([200, { calls: 3, atLeast: 3, skipped: 0 }]);
  expect((await counted({ which: "dead" })).body.calls).toBe(1);
  expect((await control.ask(`/v1/replays?destinationId=${id}`)).body.data).toEqual([]);
  const all = await replay({ toDestinationId: otherId });
  expect(idsOf(all.jobs)).toEqual(["m0", "m1"]);
  expect(new Set(all.jobs.map(({ destinationId }) => destinationId))).toEqual(new Set([otherId]));
  expect(all.shown).toMatchObject({ matched: 3, replayed: 2, deleted: 1 });
  const narrowed = { which: "all", event: "Bought", sourceId: "s1", from: new Date(delivered.receivedAtMs) };
  expect(idsOf((await replay(narrowed)).jobs)).toEqual(["m0", "m2"]);
  expect(idsOf((await replay({ which: "dead" })).jobs)).toEqual(["m2"]);
  expect(idsOf((await replay({ messageId: "m1" })).jobs)).toEqual(["m1"]);
}, 180_000);

test("a replay that is cut off by a kill goes on in the next process, and sends what is left once", async () => {
  const id = await createDestination();
  // Ten seconds of work: it is not over when the process is killed.
  const count = 400;
  const jobs = Array.from({ length: count }, (_, number) => sentJob(id, number));
  await sent.write(control.topics.deliveryJobs, jobs);
  await sent.settle();
  // The group of the replays has no other member then.
  await control.stop();
  const folder = scratchFolder();
  let service: ServiceProcess | undefined;
  try {
    service = await startService({
      name: "control",
      settings: {
        HOOKLINE_KAFKA_BROKERS: control.stack.brokers.join(","),
        HOOKLINE_SCHEMA_REGISTRY_URL: control.stack.registryUrl,
        HOOKLINE_TOPIC_PREFIX: control.prefix,
        HOOKLINE_RETRY_DELAYS: "1s",
        HOOKLINE_ENCRYPTION_KEYS: control.keys,
        HOOKLINE_DATA_DIR: folder,
      },
    });
    const url = `http://127.0.0.1:${service.ports["controlPort"]}`;
    const body = { destinationId: id, callsPerSecond: 40 };
    const { replayId } = (await requestJson<{ replayId: string }>(`${url}/v1/replays`, { body })).body;
    const shown = async () => (await requestJson<ShownReplay>(`${url}/v1/replays/${replayId}`)).body;
    await until(async () => (await shown()).replayed > 0, { timeoutMs: 60_000, what: "progress" });
    await service.kill();
    const before = await replayedJobs(replayId);
    expect(before.length).toBeLessThan(count);
    await service.restart();
    expect(await untilFinished(url, replayId)).toMatchObject({ matched: count, replayed: count });
    const after = await replayedJobs(replayId);
    expect(new Set(after.map(({ jobId }) => jobId))).toEqual(
      new Set(jobs.map(({ jobId }) => replayJobId(jobId, replayId))),
    );
    // What one progress interval holds may have been sent twice, under the same ids.
    expect(after.length).toBeLessThanOrEqual(count + 80);
  } finally {
    await service?.stop();
  }
}, 180_000);
