// ETag and If-Match of everything that can be changed, with two processes of control.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";

let one: ControlService;
let other: ControlService;

beforeAll(async () => {
  one = await startControl();
  other = await startControl({ stack: one.stack, prefix: one.prefix, keys: one.keys });
}, 180_000);
afterAll(async () => {
  await other?.stop();
  await one?.stop();
}, 180_000);

const THINGS = [
  ["/v1/sources", { name: "S" }],
  [
    "/v1/destinations",
    { name: "D", sourceIds: [], sharedSecret: "s", webhooks: [{ url: "https://a.example" }] },
  ],
  ["/v1/audiences", { name: "A list", kind: "list" }],
  [
    "/v1/computed-traits",
    {
      name: "Orders",
      definition: { event: "Order Completed", reduce: { fn: "sum", path: "properties.total" } },
    },
  ],
] as const;

test.each(THINGS)(
  "%s: a change from a version that is not the present one is refused",
  async (path, body) => {
    const made = await one.ask(path, { body: path === "/v1/audiences" ? body : { ...body } });
    expect([path, made.status, made.body.errors]).toEqual([path, 201, undefined]);
    const at = `${path}/${made.body.id}`;
    const first = made.headers.get("etag") ?? "";
    expect(first).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
    expect((await one.ask(at)).headers.get("etag")).toBe(first);

    const patch = (name: string, tag: string) =>
      one.ask(at, { method: "PATCH", body: { name }, headers: { "if-match": tag } });
    const changed = await patch("Second", first);
    const second = changed.headers.get("etag") ?? "";
    expect([changed.status, second === first]).toEqual([200, false]);
    expect((await one.ask(at)).headers.get("etag")).toBe(second);

    const late = await patch("Late", first);
    expect(late.status).toBe(412);
    expect(late.body).toMatchObject({ type: "urn:hookline:problem:precondition_failed", status: 412 });
    expect(late.body.detail).toContain(second);
    const remove = (tag: string) => one.ask(at, { method: "DELETE", headers: { "if-match": tag } });
    expect((await remove(first)).status).toBe(412);
    expect((await one.ask(at)).body.name).toBe("Second");
    expect((await remove(second)).status).toBe(204);
    expect((await one.ask(at)).status).toBe(404);
  },
);

test("of two processes that are sent a change of the same version, one makes it", async () => {
  const { body: source, headers } = await one.ask("/v1/sources", { body: { name: "0" } });
  let tag = headers.get("etag") ?? "";
  for (let round = 1; round <= 5; round += 1) {
    const patch = (service: ControlService, name: string) =>
      service.ask(`/v1/sources/${source.id}`, {
        method: "PATCH",
        body: { name },
        headers: { "if-match": tag },
      });
    const answers = await Promise.all([patch(one, `one ${round}`), patch(other, `other ${round}`)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = answers.find(({ status }) => status === 200);
    tag = winner?.headers.get("etag") ?? "";
    const read = await one.ask(`/v1/sources/${source.id}`);
    expect([read.body.name, read.headers.get("etag")]).toEqual([winner?.body.name, tag]);
  }
});
