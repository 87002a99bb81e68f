// Issues on real Kafka; what deliverers write is written by the test.
import { describe, expect, test } from "@jest/globals";
import { startControl } from "#support/control-service";
import { attempt, deadLetter, WEBHOOK } from "#support/records";
import { until } from "#support/until";
import { issueId } from "../../http/issue-id.ts";
import { webhookId } from "../../http/webhook-fields.ts";
import { control, sourceId, topics, useTopics } from "../fixtures/use-topics.ts";

const NOW_MS = Date.now();
const HOUR_MS = 3_600_000;
const agoMs = (hours: number) => NOW_MS - hours * HOUR_MS;
const outcome = (reason: string, url = WEBHOOK) => ({
  ...{ url, kind: "permanent", reason, status: 410, message: "HTTP 410", atMs: NOW_MS, durationMs: 5 },
});

let sequence = 0;

useTopics();

async function createDestination(): Promise<string> {
  const body = { name: "Orders", enabled: true, sourceIds: [sourceId], webhooks: [{ url: WEBHOOK }] };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

async function fail(destinationId: string, ...of: Partial<Parameters<typeof attempt>[0]>[]): Promise<void> {
  const records = of.map((changes) => {
    sequence += 1;
    return attempt({ sequence, destinationId, startedAtMs: NOW_MS, ...changes });
  });
  await topics.write(control.topics.deliveryAttempts, records);
}

const issueOf = (destinationId: string, reason = "http_5xx") =>
  issueId({ destinationId, url: WEBHOOK, reason });
const show = (id: string, service = control) => service.ask(`/v1/issues/${id}`);
const patch = (id: string, body: object, service = control) =>
  service.ask(`/v1/issues/${id}`, { method: "PATCH", body });

async function untilShown(id: string, isSo: (issue: { requests: number; deadLetters: number }) => boolean) {
  return await until(
    async () => {
      const { body, status } = await show(id);
      return status === 200 && isSo(body) ? body : false;
    },
    { timeoutMs: 60_000, what: "the issue to be indexed" },
  );
}

describe("an issue", () => {
  test("is shown with what failed, and its last requests with their answers", async () => {
    const id = await createDestination();
    await fail(
      id,
      { startedAtMs: agoMs(2), messageId: "m1" },
      { startedAtMs: agoMs(1), messageId: "m2", status: 503, message: "HTTP 503", responseBody: "no room" },
      { startedAtMs: agoMs(1), outcome: "success", status: 200, message: "" },
    );
    const issue = await untilShown(issueOf(id), ({ requests }) => requests === 2);
    expect(issue).toMatchObject({
      ...{ id: issueOf(id), state: "open", destinationId: id, destinationName: "Orders", reason: "http_5xx" },
      ...{ webhookId: webhookId(id, WEBHOOK), requests: 2, deadLetters: 0, status: 503, error: "HTTP 503" },
      ...{ firstAt: new Date(agoMs(2)).toISOString(), lastAt: new Date(agoMs(1)).toISOString() },
      ...{ changedAt: null, changedBy: null, snoozedUntil: null, sendAgain: null },
      attempts: [{ messageId: "m2", response: { body: "no room" } }, { messageId: "m1" }],
      statuses: [
        { status: 500, requests: 1, attempt: { messageId: "m1" } },
        { status: 503, requests: 1, deadLetters: 0, error: "HTTP 503", attempt: { messageId: "m2" } },
      ],
    });
    expect(JSON.stringify(issue)).not.toContain("XXXX");
    const listed = await control.ask(`/v1/issues?destinationId=${id}`);
    expect(listed.body.data).toMatchObject([{ id: issueOf(id), state: "open" }]);
    expect(listed.body.next).toBeNull();
  });

  test("is acknowledged, snoozed, resolved and opened again, which every process shows and a restart keeps", async () => {
    const id = await createDestination();
    await fail(id, {});
    await untilShown(issueOf(id), ({ requests }) => requests === 1);
    const snoozedUntil = new Date(NOW_MS + HOUR_MS).toISOString();
    for (const body of [
      { state: "acknowledged" },
      { state: "resolved" },
      { state: "open" },
      { state: "snoozed", snoozedUntil },
    ]) {
      const { body: changed, status } = await patch(issueOf(id), body);
      expect([status, changed.state]).toEqual([200, body.state]);
      expect(
        (await control.ask(`/v1/issues?destinationId=${id}&state=${body.state}`)).body.data,
      ).toHaveLength(1);
    }
    expect((await control.ask(`/v1/issues?destinationId=${id}&state=open`)).body.data).toEqual([]);
    const other = await startControl({ stack: control.stack, prefix: control.prefix, keys: control.keys });
    try {
      await until(async () => (await show(issueOf(id), other)).status === 200, {
        timeoutMs: 60_000,
        what: "the index",
      });
      expect((await show(issueOf(id), other)).body).toMatchObject({
        state: "snoozed",
        snoozedUntil,
        changedBy: "local",
      });
      expect((await patch(issueOf(id), { state: "acknowledged" }, other)).status).toBe(200);
      await until(async () => (await show(issueOf(id))).body.state === "acknowledged", {
        timeoutMs: 30_000,
        what: "the other process to know it",
      });
    } finally {
      await other.stop();
    }
    const audited = (await control.ask(`/v1/audit?resource=issue&resourceId=${issueOf(id)}`)).body.data;
    expect(audited.map(({ action }: { action: string }) => action)).toEqual([
      "acknowledged",
      "snoozed",
      "reopened",
      "resolved",
      "acknowledged",
    ]);
    expect(audited[0]).toMatchObject({ before: { state: "snoozed" }, after: { state: "acknowledged" } });
  }, 180_000);

  test("that was resolved is open when it fails again", async () => {
    const id = await createDestination();
    await fail(id, {});
    await untilShown(issueOf(id), ({ requests }) => requests === 1);
    await patch(issueOf(id), { state: "resolved" });
    expect((await show(issueOf(id))).body.state).toBe("resolved");
    await fail(id, { startedAtMs: Date.now() + 1 });
    const again = await untilShown(issueOf(id), ({ requests }) => requests === 2);
    expect(again).toMatchObject({ state: "open", changedAt: null });
  });

  test("that has been quiet is resolved by itself, and is no work for anybody", async () => {
    const id = await createDestination();
    await fail(id, { startedAtMs: agoMs(25) });
    const issue = await untilShown(issueOf(id), ({ requests }) => requests === 1);
    expect(issue).toMatchObject({ state: "resolved", changedBy: null });
    const { body, status } = await patch(issueOf(id), { state: "acknowledged" });
    expect([status, body.detail]).toEqual([409, expect.stringContaining("the next failure opens it")]);
    expect((await patch(issueOf(id), { state: "open" })).status).toBe(409);
  });

  test.each([
    [{ state: "broken" }, "state"],
    [{}, "state"],
    [{ state: "snoozed" }, "snoozedUntil"],
    [{ state: "snoozed", snoozedUntil: "soon" }, "snoozedUntil"],
    [{ state: "snoozed", snoozedUntil: "2020-01-01T00:00:00Z" }, "snoozedUntil"],
    [{ state: "snoozed", snoozedUntil: "2999-01-01T00:00:00Z" }, "snoozedUntil"],
    [{ state: "resolved", snoozedUntil: "2999-01-01T00:00:00Z" }, "snoozedUntil"],
    [{ state: "open", note: "x" }, "note"],
  ])("is not changed by %j", async (body, path) => {
    const id = await createDestination();
    await fail(id, {});
    await untilShown(issueOf(id), ({ requests }) => requests === 1);
    const answer = await patch(issueOf(id), body);
    expect([answer.status, answer.body.errors.map((error: { path: string }) => error.path)]).toEqual([
      422,
      [path],
    ]);
    expect((await show(issueOf(id))).body.state).toBe("open");
  });

  test("that is not there, or of a destination that is not there, is not found", async () => {
    expect((await show("iss_0000000000000000")).status).toBe(404);
    expect((await patch("iss_0000000000000000", { state: "resolved" })).status).toBe(404);
    const { body, status } = await control.ask("/v1/issues?destinationId=none");
    expect([status, body.errors]).toEqual([
      404,
      [{ path: "destinationId", message: "there is no destination none" }],
    ]);
  });
});

describe("what died of an issue", () => {
  test("is sent again by it, and nothing else of its destination", async () => {
    const id = await createDestination();
    const letter = (name: string, ...outcomes: ReturnType<typeof outcome>[]) =>
      deadLetter({ id: `${id}-${name}`, messageId: name, destinationId: id, deadAtMs: Date.now(), outcomes });
    await topics.write(control.topics.deadLetters, [
      letter("one", outcome("http_4xx")),
      letter("other reason", outcome("http_3xx")),
      letter("two", outcome("http_4xx"), outcome("http_3xx", "https://b.test/")),
      letter("other webhook", outcome("http_4xx", "https://b.test/")),
    ]);
    const issue = await untilShown(issueOf(id, "http_4xx"), ({ deadLetters }) => deadLetters === 2);
    expect(issue).toMatchObject({ requests: 0, status: 410 });
    const { body: request, method, path } = issue.sendAgain;
    const { body, status } = await control.ask(path, { method, body: request });
    expect([status, body]).toEqual([202, { replayId: expect.any(String), matched: 2, skipped: 0 }]);
    await until(async () => (await control.ask(`/v1/replays/${body.replayId}`)).body.state === "finished", {
      timeoutMs: 60_000,
      what: "the replay to end",
    });
    const jobs = (await topics.jobs()).filter(({ destinationId }) => destinationId === id);
    expect(jobs.map(({ messageId }) => messageId).sort()).toEqual(["one", "two"]);
    const { data } = (await control.ask(`/v1/dead-letters?issueId=${issue.id}`)).body;
    expect((await control.ask("/v1/dead-letters?issueId=iss_")).body.errors).toEqual([
      { path: "issueId", message: "there is no issue iss_" },
    ]);
    expect(data).toMatchObject([
      { messageId: "two", replayIds: [body.replayId] },
      { messageId: "one", replayIds: [body.replayId] },
    ]);
    const others = (await control.ask(`/v1/dead-letters?destinationId=${id}`)).body.data;
    expect(others.filter(({ replayIds }: { replayIds: string[] }) => replayIds.length === 0)).toHaveLength(2);
  }, 180_000);
});
