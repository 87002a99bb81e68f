// Deletions and suppressions through the whole product, on real Kafka (contract 5).
import { describe, expect, test } from "@jest/globals";
import { requestJson, type Source } from "#support/api";
import { metricsOf, sumOfMetric } from "#support/metrics";
import { msOf, shortest } from "#support/shortest";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

/** How soon the pipeline acts on an acknowledged change (10.1). */
const CHANGE_DEADLINE_MS = 1_000;
const SECRET = "s3cr3t";

useDeployment(() => ({ retryDelaysMs: [1000, 3000] }), { secret: SECRET });

async function sourceWith(
  path: string,
  more: { callTypes?: string[]; enabled?: boolean } = {},
): Promise<Source> {
  const source = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [source.id],
    webhooks: [{ url: receiver.url(path) }],
    sharedSecret: SECRET,
    ...more,
  });
  return source;
}

const track = (source: Source, userId: string, event = "E") =>
  deployment.send(source.writeKeys[0], "track", { userId, event });

async function regulate(body: object): Promise<string> {
  const answer = await requestJson<{ id: string }>(`${deployment.controlUrl()}/v1/regulations`, {
    body: { subjectType: "USER_ID", ...body },
  });
  expect(answer.status).toBe(202);
  return answer.body.id;
}

interface Regulation {
  readonly status: string;
  readonly sources: readonly { readonly sourceId: string; readonly status: string }[];
}

async function finished(id: string): Promise<Regulation> {
  const url = `${deployment.controlUrl()}/v1/regulations/${id}`;
  return await until(
    async () => {
      const { body } = await requestJson<Regulation>(url);
      return body.status === "finished" && body;
    },
    { timeoutMs: 60_000, what: "the regulation to be finished" },
  );
}

const dropped = async () =>
  sumOfMetric(await metricsOf(deployment.service("ingest")), "hookline_ingest_calls_dropped_total");

/** Whether a call of the user is dropped now; it is answered 200 either way. */
async function isDropped(source: Source, userId: string): Promise<boolean> {
  const before = await dropped();
  expect(await track(source, userId)).toMatchObject({ status: 200, body: { success: true } });
  return (await dropped()) > before;
}

/** Users whose calls or notifications came to a path, in order. */
const usersAt = (path: string, type: string) =>
  receiver
    .requestsTo(path)
    .filter(({ json }) => json["type"] === type)
    .map(({ json }) => json["userId"]);

describe("a deletion", () => {
  test("is notified of at every source with an enabled destination, once, signed, whatever call types that takes", async () => {
    const one = await sourceWith("/one");
    const other = await sourceWith("/other", { callTypes: ["track"] });
    const off = await sourceWith("/off", { enabled: false });
    await track(one, "gone");
    const id = await regulate({ regulationType: "DELETE_ONLY", subjectIds: ["gone"] });
    const { sources } = await finished(id);
    const mine = sources.filter(({ sourceId }) => [one.id, other.id, off.id].includes(sourceId));
    expect(mine).toEqual([one.id, other.id].sort().map((sourceId) => ({ sourceId, status: "finished" })));
    await receiver.untilReceived("/one", 2);
    const [call, notification] = receiver.requestsTo("/one");
    expect(call?.json).toMatchObject({ type: "track", userId: "gone" });
    expect(notification?.signature).toBe("valid");
    expect(notification?.text).toMatch(
      /^\{"type":"delete","userId":"gone","timestamp":"[^"]{24}","messageId":"[0-9a-f-]{36}"\}$/,
    );
    const [sameAtOther] = await receiver.untilReceived("/other", 1);
    expect(sameAtOther?.json).toMatchObject({ type: "delete", userId: "gone" });
    expect(sameAtOther?.json["messageId"]).not.toBe(notification?.json["messageId"]);
    await track(one, "gone", "later");
    await receiver.untilReceived("/one", 3);
    expect([receiver.requestsTo("/other").length, receiver.requestsTo("/off").length]).toEqual([1, 0]);
  }, 180_000);

  test("with suppression: after the notification no call of the user arrives; also after a restart, until it is ended", async () => {
    const source = await sourceWith("/suppressed");
    await track(source, "bob");
    await receiver.untilReceived("/suppressed", 1);
    const id = await regulate({ regulationType: "SUPPRESS_WITH_DELETE", subjectIds: ["bob"] });
    await until(() => isDropped(source, "bob"), { timeoutMs: 30_000, what: "the first dropped call" });
    await finished(id);
    await until(() => usersAt("/suppressed", "delete").length > 0, {
      timeoutMs: 60_000,
      what: "the notification",
    });
    const last = receiver.requestsTo("/suppressed").at(-1);
    expect(last?.json).toMatchObject({ type: "delete", userId: "bob" });
    const ingest = deployment.service("ingest");
    await ingest.kill();
    await ingest.restart();
    expect(await isDropped(source, "bob")).toBe(true);
    await track(source, "alice");
    await until(() => usersAt("/suppressed", "track").includes("alice"), {
      timeoutMs: 60_000,
      what: "the call of another user",
    });
    expect(receiver.requestsTo("/suppressed").at(-2)).toBe(last);
    await regulate({ regulationType: "UNSUPPRESS", subjectIds: ["bob"] });
    await until(async () => !(await isDropped(source, "bob")), {
      timeoutMs: 30_000,
      what: "the first call that is taken again",
    });
    await until(() => usersAt("/suppressed", "track").at(-1) === "bob", {
      timeoutMs: 60_000,
      what: "bob's call",
    });
  }, 180_000);

  test("a suppression, and its end, are in force within a second of their answers (10.1)", async () => {
    const source = await deployment.control.createSource();
    const msUntil = async (regulationType: string, turn: number, isDroppedThen: boolean) => {
      const user = `suppressed-${turn}`;
      await regulate({ regulationType, subjectIds: [user] });
      const isInForce = async () => (await isDropped(source, user)) === isDroppedThen;
      return msOf(() => until(isInForce, { timeoutMs: 30_000, what: `${regulationType} of ${user}` }));
    };
    const suppressing = await shortest((turn) => msUntil("SUPPRESS_ONLY", turn, true));
    const ending = await shortest((turn) => msUntil("UNSUPPRESS", turn, false));
    expect(Math.max(suppressing, ending)).toBeLessThan(CHANGE_DEADLINE_MS);
  }, 180_000);

  test("that its process is killed in is finished by the next one; each user is notified of once", async () => {
    const source = await sourceWith("/killed");
    const subjectIds = Array.from({ length: 400 }, (_, index) => `user-${index}`);
    const id = await regulate({ regulationType: "DELETE_ONLY", subjectIds, sourceId: source.id });
    await receiver.untilReceived("/killed", 60);
    const control = deployment.service("control");
    await control.kill();
    const before = receiver.requestsTo("/killed").length;
    expect(before).toBeLessThan(400);
    await control.restart();
    await finished(id);
    await receiver.untilReceived("/killed", 400);
    expect(usersAt("/killed", "delete").sort()).toEqual(subjectIds.sort());
    const routed = await metricsOf(deployment.service("webhook-router"));
    const duplicates = sumOfMetric(routed, 'hookline_router_calls_total{outcome="duplicate"}');
    expect(duplicates).toBeGreaterThan(0);
  }, 180_000);
});
