// Uploaded lists of members, from the upload to the identify calls, on real Kafka (contract 8.6, 10.8).
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type ListStage, type SentIdentify, startListStage } from "#support/list-stage";
import { metricsOf, sumOfMetric } from "#support/metrics";
import type { ServiceProcess } from "#support/service";
import { until } from "#support/until";

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly added: number;
  readonly removed: number;
  readonly suppressed: number;
  readonly users: number;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

const WAIT = { timeoutMs: 60_000 };

let stage: ListStage;

beforeAll(async () => {
  stage = await startListStage({ HOOKLINE_IMPORT_RATE: "800", HOOKLINE_CONNECTION_SYNC_RATE: "5000" });
}, 240_000);
afterAll(async () => {
  await stage?.stop();
}, 60_000);

const users = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `u${from + index}`);
const csvOf = (userIds: readonly string[]): string =>
  ["userId,name", ...userIds.map((id) => `${id},x`)].join("\n");

const ask = (path: string, request: object = {}) => requestJson<Answer>(`${stage.url()}${path}`, request);

function queryOf({
  hold,
  mode,
}: { readonly [name in "hold" | "mode"]: UploadRequest[name] | undefined }): string {
  const query = { ...(mode !== undefined && { mode }), ...(hold === true && { hold: "true" }) };
  return `?${new URLSearchParams(query)}`;
}

interface UploadRequest {
  readonly body: string | Buffer;
  readonly mode?: string;
  readonly hold?: boolean;
  readonly type?: string;
  readonly encoding?: string;
}

/** The list with this name, and how to upload to it. */
async function newList(name: string) {
  const { id, key } = (await ask("/v1/audiences", { body: { name, kind: "list" } })).body as Answer & {
    key: string;
  };
  const importPath = (importId: string) => `/v1/audiences/${id}/imports/${importId}`;
  const get = async (importId: string) => await ask(importPath(importId));
  return {
    id,
    get,
    confirm: (importId: string) => ask(`${importPath(importId)}/confirm`, { method: "POST" }),
    put: (importId: string, { body, encoding, hold, mode, type = "text/csv" }: UploadRequest) =>
      ask(`/v1/audiences/${id}/members/${importId}${queryOf({ hold, mode })}`, {
        method: "PUT",
        body,
        headers: { "content-type": type, ...(encoding !== undefined && { "content-encoding": encoding }) },
      }),
    async until(importId: string, status: string): Promise<Answer> {
      let last: unknown;
      const isThere = async (): Promise<Answer | false> => {
        const { body } = await get(importId);
        last = body;
        return body.status === status && body;
      };
      const what = (): string => `${importId} to be ${status}: ${JSON.stringify(last)}`;
      return await until(isThere, { ...WAIT, what });
    },
    /** Once there are so many: what was sent of the list, by user. */
    async sent(count: number): Promise<Map<string, SentIdentify[]>> {
      let found: SentIdentify[] = [];
      const ofList = async () => {
        found = (await stage.sent()).filter((one) => one.key === key);
        return found.length >= count;
      };
      await until(ofList, { ...WAIT, what: () => `${count} calls of ${key}; there are ${found.length}` });
      expect(found).toHaveLength(count);
      return Map.groupBy(found, ({ user }) => user);
    },
  };
}

describe("a list", () => {
  test("follows what is uploaded: only differences are sent, each upload counts once, and much is held", async () => {
    const list = await newList("Vips");
    const first = await list.put("one", {
      body: gzipSync(`\uFEFF${csvOf(users(0, 300))}`),
      encoding: "gzip",
    });
    expect([first.status, first.body.status, first.headers.get("location")]).toEqual([
      202,
      "staged",
      `/v1/audiences/${list.id}/imports/one`,
    ]);
    expect(await list.until("one", "applied")).toMatchObject({ added: 300, removed: 0, users: 300 });
    await list.sent(300);

    const rows = [...users(50, 310), "u60"].map((userId) => JSON.stringify({ userId })).join("\n");
    await list.put("two", { body: rows, type: "application/x-ndjson" });
    expect(await list.until("two", "applied")).toMatchObject({ added: 10, removed: 50, users: 260 });
    const again = await list.put("one", { body: csvOf(users(0, 300)) });
    expect([again.status, again.body.status]).toEqual([200, "applied"]);
    await list.sent(360);

    await list.put("three", { body: csvOf(users(50, 60)) });
    expect(await list.until("three", "held")).toMatchObject({ added: 0, removed: 250 });
    await list.put("none", { body: "userId\n" });
    expect(await list.until("none", "held")).toMatchObject({ removed: 260 });
    expect((await list.confirm("one")).status).toBe(409);
    // What is held is compared with the list as it is when it is confirmed.
    await list.put("four", { body: csvOf(["u1000"]), mode: "add" });
    await list.until("four", "applied");
    expect((await list.confirm("three")).status).toBe(202);
    expect(await list.until("three", "applied")).toMatchObject({ removed: 251 });
    await list.put("five", { body: csvOf(["u50", "u0"]), mode: "remove" });
    expect(await list.until("five", "applied")).toMatchObject({ added: 0, removed: 1 });
    const sent = await list.sent(360 + 1 + 251 + 1);
    for (const calls of sent.values())
      expect(calls.map((one) => (one as SentIdentify).value)).toEqual(
        calls.map((_, index) => index % 2 === 0),
      );
  }, 240_000);

  test("is compared and left as it is by an upload that is to be seen first, until that is confirmed", async () => {
    const list = await newList("Seen");
    const seen = await list.put("one", { body: csvOf(["u1", "u2"]), hold: true });
    expect([seen.status, seen.body.status]).toEqual([202, "staged"]);
    expect(await list.until("one", "held")).toMatchObject({ added: 2, removed: 0, users: 2 });
    // It is in nobody's way.
    await list.put("two", { body: csvOf(["u1"]) });
    expect(await list.until("two", "applied")).toMatchObject({ added: 1 });
    expect((await list.confirm("one")).status).toBe(202);
    expect(await list.until("one", "applied")).toMatchObject({ added: 1, removed: 0 });
    await list.sent(2);
  }, 120_000);

  test("refuses what is wrong as a whole, and says where", async () => {
    const list = await newList("Strict");
    const wrong = await list.put("one", { body: "name,userId\na,u1\nb,\nc,u2" });
    expect([wrong.status, wrong.body.errors]).toEqual([422, [{ path: "line 3", message: "has no userId" }]]);
    expect((await list.get("one")).body).toMatchObject({ status: "refused", errors: wrong.body.errors });
    const broken = gzipSync(csvOf(users(0, 2_000)));
    expect((await list.put("two", { body: broken.subarray(0, -20), encoding: "gzip" })).status).toBe(400);
    expect((await list.put("two", { body: "no gzip", encoding: "gzip" })).status).toBe(400);
    expect((await list.get("two")).status).toBe(404);
    const modeless = await list.put("two", { body: csvOf([]), mode: "merge" });
    expect([modeless.status, modeless.body.errors.map(({ path }) => path)]).toEqual([422, ["mode"]]);
    expect((await list.put("two", { body: "{}", type: "application/json" })).status).toBe(415);
    const unnamed = await list.put("a b", { body: csvOf([]) });
    expect([unnamed.status, unnamed.body.errors.map(({ path }) => path)]).toEqual([422, ["importId"]]);
    const defined = { name: "Defined", definition: { event: "A" } };
    const { id } = (await ask("/v1/audiences", { body: defined })).body;
    const csv = { method: "PUT", body: csvOf(["u1"]), headers: { "content-type": "text/csv" } };
    expect((await ask(`/v1/audiences/${id}/members/one`, csv)).body.errors.map(({ path }) => path)).toEqual([
      "id",
    ]);
    expect((await ask("/v1/audiences/aud_none/members/one", csv)).status).toBe(404);
    // What was refused did not count.
    expect((await list.put("one", { body: csvOf(["u1"]) })).status).toBe(202);
    await list.until("one", "applied");
    await list.sent(1);
  }, 120_000);

  test("leaves suppressed users as they are", async () => {
    const list = await newList("Calm");
    const asked = { regulationType: "SUPPRESS_WITH_DELETE", subjectType: "USER_ID", subjectIds: ["gone"] };
    const regulation = (await ask("/v1/regulations", { body: asked })).body.id;
    const isOver = async () => (await ask(`/v1/regulations/${regulation}`)).body.status === "finished";
    await until(isOver, { ...WAIT, what: "the suppression" });
    await list.put("one", { body: csvOf(["gone", "here"]) });
    expect(await list.until("one", "applied")).toMatchObject({ added: 1, suppressed: 1 });
    await list.sent(1);
  }, 120_000);
});

test("control is killed while an import is applied: each user is sent once", async () => {
  const list = await newList("Large");
  await list.put("one", { body: csvOf(users(0, 3_000)) });
  await until(async () => (await stage.sent()).filter(({ key }) => key === "large").length > 600, {
    ...WAIT,
    what: "a part of the import",
  });
  await stage.control.kill();
  await stage.control.restart();
  expect(await list.until("one", "applied")).toMatchObject({ added: 3_000 });
  const sent = await list.sent(3_000);
  expect(sent.size).toBe(3_000);
}, 240_000);

test("a destination that is connected later gets the members that there are, by the calls that were sent; the others get nothing again", async () => {
  const list = await newList("Earlier");
  await list.put("one", { body: csvOf(users(0, 40)) });
  const sent = await list.sent(40);
  const ids = [...sent.values()].flatMap((calls) => calls.map(({ messageId }) => messageId)).sort();
  const ofList = async (destination: string) =>
    (await stage.jobs(destination)).filter(({ body }) => String(body).includes('"earlier":true'));
  const webhooks = [{ url: "http://127.0.0.1:9/" }];
  const connect = async (body: object): Promise<string> =>
    (await ask("/v1/destinations", { body: { name: "d", webhooks, enabled: true, ...body } })).body.id;
  const untilThere = (destination: string) =>
    until(async () => (await ofList(destination)).length >= 40, { ...WAIT, what: "the members" });

  const first = await connect({ sourceIds: ["spa_default"] });
  await untilThere(first);
  const second = await connect({ sourceIds: [], enabled: false });
  await ask(`/v1/destinations/${second}`, { method: "PATCH", body: { sourceIds: ["spa_default"] } });
  await ask(`/v1/destinations/${second}`, { method: "PATCH", body: { enabled: true } });
  await untilThere(second);
  for (const destination of [first, second])
    expect((await ofList(destination)).map(({ messageId }) => messageId).sort()).toEqual(ids);
  const [job] = await ofList(first);
  expect(JSON.parse(String(job?.body))).toMatchObject({
    type: "identify",
    traits: { earlier: true },
    context: { personas: { computation_class: "audience", computation_key: "earlier" } },
    messageId: job?.messageId,
  });
}, 120_000);

test("two control processes apply imports at once, and one goes on with those of the other, which is killed: each user is sent once", async () => {
  const second = await stage.anotherControl();
  const uploadAt = async (control: ServiceProcess, { id }: { readonly id: string }, importId: string) =>
    await requestJson<Answer>(
      `http://127.0.0.1:${control.ports["controlPort"]}/v1/audiences/${id}/members/${importId}`,
      { method: "PUT", body: csvOf(users(0, 2_000)), headers: { "content-type": "text/csv" } },
    );
  const openAt = async (control: ServiceProcess): Promise<number> =>
    sumOfMetric(await metricsOf(control), "hookline_control_imports_open");
  const lists: (Awaited<ReturnType<typeof newList>> & { readonly importId: string })[] = [];
  /** Each is uploaded to the one process, and once more to the other. */
  async function uploadOne(): Promise<void> {
    const list = await newList(`Shared ${lists.length}`);
    const one = { ...list, importId: `one-${lists.length}` };
    lists.push(one);
    expect((await uploadAt(second, one, one.importId)).status).toBe(202);
    expect([200, 202]).toContain((await uploadAt(stage.control, one, one.importId)).status);
  }
  const areBothAtWork = async (): Promise<boolean> => {
    const open = await Promise.all([stage.control, second].map(openAt));
    if (open.every((count) => count > 0)) return true;
    // Whose an import is follows from its id.
    if (lists.length < 20) await uploadOne();
    return false;
  };
  await until(areBothAtWork, { ...WAIT, what: "an import under way in each process" });
  await second.kill();
  for (const list of lists) {
    expect(await list.until(list.importId, "applied")).toMatchObject({ added: 2_000, users: 2_000 });
    const sent = await list.sent(2_000);
    expect(sent.size).toBe(2_000);
  }
}, 240_000);
