// Refused calls over HTTP, on real Kafka; what ingest tells is written by the test.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { refusedCalls } from "#support/records";
import { until } from "#support/until";
import type { RefusedCalls } from "#topics";
import { control, sourceId, topics, useTopics } from "../fixtures/use-topics.ts";

const NOW_MS = Date.now();

useTopics();
beforeAll(async () => {
  const told = (changes: Partial<RefusedCalls>) => refusedCalls({ sourceId, ...changes });
  await topics.write(control.topics.refusedCalls, [
    told({ atMs: NOW_MS - 3, message: "first", userIds: ["gone"] }),
    told({ atMs: NOW_MS - 2, message: "malformed", code: "invalid_json", body: "{", userIds: null }),
    told({ atMs: NOW_MS - 1, message: "rest", calls: 9, body: null, userIds: null }),
    told({ atMs: NOW_MS, message: "last", isBodyCut: true, index: 2 }),
  ]);
  await until(async () => (await list("")).total === 4, { timeoutMs: 60_000, what: "them to be listed" });
}, 180_000);

const path = () => `/v1/sources/${sourceId}/refused-calls`;
const list = async (query: string) => (await control.ask(`${path()}${query}`)).body;
const messages = async (query: string) =>
  (await list(query)).data.map(({ message }: { message: string }) => message);

/** The bodies of all, in the order of the list. */
async function bodies() {
  const { data } = await list("");
  const all = data.map(async ({ id }: { id: string }) => (await control.ask(`${path()}/${id}`)).body);
  return (await Promise.all(all)).map(({ bodyText, isBodyCut, noBody }) => [bodyText, isBodyCut, noBody]);
}

describe("refused calls of a source", () => {
  test("are listed newest first, page by page, as far as they are asked for", async () => {
    expect(await messages("")).toEqual(["last", "rest", "malformed", "first"]);
    const { data, next, total } = await list("?limit=1");
    expect([data[0], total]).toEqual([
      {
        id: expect.stringMatching(/^rfc_/),
        at: new Date(NOW_MS).toISOString(),
        ...{ code: "event_not_defined", message: "last", calls: 1, index: 2, userIds: ["u1"] },
      },
      4,
    ]);
    expect(await messages(`?limit=2&after=${next}`)).toEqual(["rest", "malformed"]);
    expect(await messages("?code=invalid_json")).toEqual(["malformed"]);
    expect(await messages("?userId=gone")).toEqual(["first"]);
    expect(await messages(`?from=${new Date(NOW_MS).toISOString()}`)).toEqual(["last"]);
  });

  test("are not those of another one", async () => {
    const other = (await control.ask("/v1/sources", { body: { name: "Other" } })).body.id;
    expect((await control.ask(`/v1/sources/${other}/refused-calls`)).body.data).toEqual([]);
    const [{ id }] = (await list("")).data;
    expect((await control.ask(`/v1/sources/${other}/refused-calls/${id}`)).status).toBe(404);
    for (const bad of ["none", "rfc_zz", "rfc_"])
      expect((await control.ask(`${path()}/${bad}`)).status).toBe(404);
    expect((await control.ask("/v1/sources/none/refused-calls")).status).toBe(404);
  });

  test("have the body that was sent, and none once a user is deleted whom it may name", async () => {
    const body = '{"type":"track","userId":"u1"}';
    expect(await bodies()).toEqual([
      [body, true, null],
      [null, false, "not_kept"],
      ["{", false, null],
      [body, false, null],
    ]);
    const subjectIds = ["gone"];
    const deletion = { regulationType: "DELETE_ONLY", subjectType: "USER_ID", subjectIds };
    expect((await control.ask("/v1/regulations", { body: deletion })).status).toBe(202);
    const deleted = [null, false, "user_deleted"];
    expect(await bodies()).toEqual([[body, true, null], deleted, deleted, deleted]);
  });
});
