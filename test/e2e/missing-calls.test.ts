// A destination that was off while calls came, through every service on real Kafka: what it missed is counted, and sent once.
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;

useDeployment();

const api = async <T>(path: string, options: object = {}): Promise<T> =>
  (await requestJson<T>(`${deployment.controlUrl()}${path}`, options)).body;

interface Replay {
  readonly state: string;
  readonly matched: number;
  readonly replayed: number;
}

/** Asks until the routers have said of all calls where they went. */
const untilCounted = (body: object, calls: number) =>
  until(
    async () =>
      (await api<{ calls: number }>("/v1/replays", { body: { ...body, dryRun: true } })).calls === calls,
    { timeoutMs: TIMEOUT_MS, what: `${calls} missing calls` },
  );

async function replayed(body: object): Promise<Replay> {
  const { replayId } = await api<{ replayId: string }>("/v1/replays", { body });
  return await until(
    async () => {
      const replay = await api<Replay>(`/v1/replays/${replayId}`);
      return replay.state === "finished" && replay;
    },
    { timeoutMs: TIMEOUT_MS, what: "the replay to finish" },
  );
}

test("what a destination missed while it was off is sent to it once, as far as it takes it now", async () => {
  const { id, writeKeys } = await deployment.control.createSource();
  const made = (path: string, options: object) =>
    deployment.control.createDestination({
      ...{ name: path, sourceIds: [id], webhooks: [{ url: receiver.url(path) }] },
      ...options,
    });
  await made("/on", {});
  const late = await made("/late", { enabled: false });
  const send = (messageId: string, event: string) =>
    deployment.send(writeKeys[0] ?? "", "track", { userId: `u-${messageId}`, event, messageId });
  for (const at of [1, 2, 3]) await send(`bought-${at}`, "Bought");
  await send("left-1", "Left");
  await receiver.untilReceived("/on", 4, TIMEOUT_MS);
  await deployment.control.changeDestination(late.id, { enabled: true, events: ["Bought"] });
  await send("bought-4", "Bought");
  await receiver.untilReceived("/late", 1, TIMEOUT_MS);

  const body = { destinationId: late.id, which: "missing" };
  await untilCounted(body, 3);
  expect(await replayed(body)).toMatchObject({ matched: 3, replayed: 3 });
  await receiver.untilReceived("/late", 4, TIMEOUT_MS);
  const received = receiver.requestsTo("/late").map(({ json }) => json["messageId"]);
  expect(received.toSorted()).toEqual(["bought-1", "bought-2", "bought-3", "bought-4"]);

  // It has them now; what it would not take before is missing once it would.
  await untilCounted(body, 0);
  expect(await replayed(body)).toMatchObject({ matched: 0, replayed: 0 });
  await deployment.control.changeDestination(late.id, { events: null });
  await untilCounted({ ...body, from: new Date(Date.now() - 3_600_000).toISOString() }, 1);
  expect(await replayed(body)).toMatchObject({ matched: 1, replayed: 1 });
  await receiver.untilReceived("/late", 5, TIMEOUT_MS);
}, 180_000);
