// What pause, resume and retry make of a destination, through the API; what deliverers make of it stands in their tests.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { problemFields } from "#support/control-service";
import { control, createSource, useControl } from "#support/use-control";

let sourceId: string;

useControl();
beforeAll(async () => {
  sourceId = await createSource();
}, 180_000);

async function destination(more: object = {}): Promise<string> {
  const webhooks = [{ url: "https://example.com/hook" }];
  const body = { name: "D", sourceIds: [sourceId], webhooks, enabled: true, ...more };
  return (await control.ask("/v1/destinations", { body })).body.id;
}

function post(id: string, what: string, body?: object) {
  return control.ask(`/v1/destinations/${id}/${what}`, { method: "POST", ...(body && { body }) });
}

describe("a pause", () => {
  test("is shown with the time for which calls wait, until it is ended", async () => {
    const id = await destination();
    const { status, body } = await post(id, "pause", { callsWaitFor: "PT12H" });
    expect(status).toBe(200);
    expect(body.paused).toEqual({ since: expect.any(String), callsWaitFor: "12h" });
    expect((await control.ask(`/v1/destinations/${id}`)).body.paused).toEqual(body.paused);
    const longer = (await post(id, "pause", { callsWaitFor: "2d" })).body.paused;
    expect(longer).toEqual({ since: body.paused.since, callsWaitFor: "2d" });
    expect((await post(id, "resume")).body.paused).toBeNull();
  });

  test("is counted by a dry run, as are its end and a retry, and nothing changes", async () => {
    const id = await destination();
    const none = { calls: 0, atLeast: 0, skipped: 0, recordsRead: null, recordsToRead: null };
    const before = (await control.ask(`/v1/destinations/${id}`)).body;
    expect((await post(id, "pause", { dryRun: true })).body).toEqual({ ...before, dryRun: none });
    const retried = await post(id, "retry", { dryRun: true, messageIds: ["m1"] });
    expect([retried.status, retried.body]).toEqual([200, none]);
    expect((await post(id, "resume", { dryRun: true })).status).toBe(409);
    await post(id, "pause");
    expect((await post(id, "retry", { dryRun: true })).status).toBe(409);
    const resumed = await post(id, "resume", { dryRun: true });
    expect(resumed.body).toMatchObject({ paused: { callsWaitFor: null }, dryRun: none });
    expect((await post(id, "resume", { dry: true })).status).toBe(422);
    expect((await post(id, "resume", {})).body.paused).toBeNull();
    const audited = (await control.ask(`/v1/audit?resourceId=${id}`)).body.data;
    expect(audited.map(({ action }: { action: string }) => action)).toEqual([
      "updated",
      "updated",
      "created",
    ]);
  });

  test("needs no body, and lasts through other changes", async () => {
    const id = await destination();
    expect((await post(id, "pause")).body.paused).toMatchObject({ callsWaitFor: null });
    const patched = await control.ask(`/v1/destinations/${id}`, { method: "PATCH", body: { name: "E" } });
    expect(patched.body.paused).toMatchObject({ callsWaitFor: null });
  });

  test.each([
    ["a while", "is not a duration such as 12h"],
    ["0s", "must be longer than 0s, and at most 7d"],
    ["8d", "must be longer than 0s, and at most 7d"],
    [5, "must be a text or null"],
  ])("of %p is refused", async (callsWaitFor, message) => {
    const { status, body } = await post(await destination(), "pause", { callsWaitFor });
    expect(status).toBe(422);
    expect(problemFields({ body })).toEqual({ callsWaitFor: message });
  });
});

test.each([
  { what: "resume", of: "is not paused", prepare: async () => destination() },
  {
    what: "retry",
    of: "is paused",
    async prepare() {
      const id = await destination();
      await post(id, "pause");
      return id;
    },
  },
  { what: "retry", of: "is switched off", prepare: async () => destination({ enabled: false }) },
])("$what of a destination that $of is a conflict", async ({ what, prepare }) => {
  expect((await post(await prepare(), what)).status).toBe(409);
});

test("an unknown field of pause, resume and retry is refused with its name", async () => {
  const id = await destination();
  for (const what of ["pause", "resume", "retry"]) {
    const { status, body } = await post(id, what, { messageId: "m1" });
    expect([what, status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      what,
      422,
      ["messageId"],
    ]);
  }
});

test("a retry changes neither the version of the destination nor its time, and is in the audit log", async () => {
  const id = await destination();
  const before = await control.ask(`/v1/destinations/${id}`);
  const { body } = await post(id, "retry", { messageIds: ["m1"], userId: "u1" });
  expect(body).toMatchObject({ notWaiting: ["m1"], retry: { calls: 0, woken: 0, isDone: false } });
  const after = await control.ask(`/v1/destinations/${id}`);
  expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  expect(after.body.updatedAt).toBe(before.body.updatedAt);
  const log = await control.ask(`/v1/audit?resourceId=${id}&action=retried`);
  expect(log.body.data[0].after).toEqual({ messageIds: ["m1"], userId: "u1", calls: 0 });
});

test("a retry that names two users is refused", async () => {
  const { body, status } = await post(await destination(), "retry", { userId: "u1", anonymousId: "a1" });
  expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([422, ["anonymousId"]]);
});

test("a retry is accepted with the place to look at; of an unknown destination nothing is", async () => {
  const { status, headers } = await post(await destination(), "retry");
  expect(status).toBe(202);
  expect(headers.get("location")).toMatch(/^\/v1\/destinations\/.+\/waiting$/);
  for (const what of ["pause", "resume", "retry"]) expect((await post("dst_none", what)).status).toBe(404);
});
