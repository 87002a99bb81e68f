// Tokens and keys are changed without a gap, and the audit log says who did what meanwhile.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, newEncryptionKey, startControl } from "#support/control-service";

const OLD = "old-token-0123456789";
const NEW = "new-token-9876543210";
const DASHBOARD = "dashboard-token-0123";
const SECRET = "shared-secret-Aa11";
const KEYS = [newEncryptionKey("k1"), newEncryptionKey("k2")];
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

let control: ControlService;
/** Each in its turn takes over from the one before, as in a rolling update. */
async function startNext(tokens: readonly string[], keys: string): Promise<void> {
  const before = control;
  const settings = { HOOKLINE_API_TOKENS: tokens.join(","), HOOKLINE_CONTROL_HOST: "127.0.0.1" };
  control = await startControl({
    ...(before && { stack: before.stack, prefix: before.prefix }),
    keys,
    settings,
  });
  await before?.stop();
}

const ask = (token: string, path: string, request: { method?: string; body?: unknown; id?: string } = {}) =>
  control.ask(path, {
    ...request,
    headers: { authorization: `Bearer ${token}`, ...(request.id && { "x-request-id": request.id }) },
  });

beforeAll(() => startNext([`ops:read+write:${OLD}`], KEYS[0] ?? ""), 180_000);
afterAll(() => control?.stop(), 180_000);

test("tokens and encryption keys are rotated, and the log has what each token did", async () => {
  const webhooks = [{ url: "http://127.0.0.1:9/services/T000", headers: { "x-key": "header-value-Bb22" } }];
  const body = { name: "Shop", sourceIds: [], sharedSecret: SECRET, webhooks };
  const made = await ask(OLD, "/v1/destinations", { body, id: "r1" });
  expect(made.status).toBe(201);
  const at = `/v1/destinations/${made.body.id}`;

  // Both tokens, both keys: whoever has the old ones is not cut off.
  const dashboard = `dashboard:read:sha256-${sha256(DASHBOARD)}`;
  const both = [`ops:read+write:${OLD}`, `ops-2:read+write:sha256-${sha256(NEW)}`, dashboard];
  await startNext(both, [...KEYS].reverse().join(","));
  expect((await ask(OLD, at)).status).toBe(200);
  // A change brings the secrets under the new key.
  expect((await ask(NEW, at, { method: "PATCH", body: { name: "Shop 2" }, id: "r2" })).status).toBe(200);
  const refused = await ask(DASHBOARD, at, { method: "PATCH", body: { name: "Shop 3" } });
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    "this needs the scope write, and the token dashboard has only read",
  ]);

  // The old ones are gone.
  await startNext([`ops-2:read+write:sha256-${sha256(NEW)}`, dashboard], KEYS[1] ?? "");
  expect((await ask(OLD, at)).status).toBe(401);
  const tried = await ask(NEW, `${at}/test`, { body: {} });
  expect([tried.status, tried.body.webhooks[0].reason]).toEqual([200, expect.not.stringContaining("secret")]);
  expect((await ask(NEW, at, { method: "DELETE", id: "r3" })).status).toBe(204);

  const log = await ask(DASHBOARD, `/v1/audit?resource=destination&resourceId=${made.body.id}`);
  expect(log.status).toBe(200);
  const facts = ({ token, requestId, action }: Record<string, string>) => [token, requestId, action];
  expect(log.body.data.map(facts)).toEqual([
    ["ops-2", "r3", "deleted"],
    ["ops-2", "r2", "updated"],
    ["ops", "r1", "created"],
  ]);
  const [deleted, updated, created] = log.body.data;
  expect([created.before, created.after.name]).toEqual([null, "Shop"]);
  expect([updated.before.name, updated.after.name]).toEqual(["Shop", "Shop 2"]);
  expect([deleted.before.name, deleted.after]).toEqual(["Shop 2", null]);
  expect(created.after).toMatchObject({
    sharedSecretSet: true,
    webhooks: [{ headers: { "x-key": "********" } }],
  });
  expect(log.text).not.toMatch(/shared-secret-Aa11|header-value-Bb22|token-/);
}, 180_000);

test("the log has filters and pages, and refuses what it does not know", async () => {
  for (const id of ["p1", "p2", "p3"]) await ask(NEW, "/v1/sources", { body: { name: id, id } });
  const list = async (query: string) => (await ask(DASHBOARD, `/v1/audit?${query}`)).body;
  const idsOf = ({ data }: { data: { resourceId: string }[] }) => data.map(({ resourceId }) => resourceId);
  const first = await list("resource=source&action=created&limit=2");
  const rest = await list(`resource=source&action=created&limit=2&after=${first.next}`);
  expect([idsOf(first), idsOf(rest), rest.next]).toEqual([["p3", "p2"], ["p1"], null]);
  expect(idsOf(await list("token=ops&resource=source"))).toEqual([]);
  expect((await ask(DASHBOARD, "/v1/audit?action=looked")).status).toBe(422);
});

test("an edit's entry has what it changed, and no write key", async () => {
  const { body: source } = await ask(NEW, "/v1/sources", { body: { name: "A", labels: { team: "x" } } });
  await ask(NEW, `/v1/sources/${source.id}`, { method: "PATCH", body: { name: "B" } });
  const { body, text } = await ask(DASHBOARD, `/v1/audit?resourceId=${source.id}`);
  const [updated, created] = body.data;
  expect(Object.keys(updated.after).toSorted()).toEqual(["name", "updatedAt"]);
  expect([updated.before.name, updated.after.name]).toEqual(["A", "B"]);
  expect(created.after).toMatchObject({ name: "A", labels: { team: "x" } });
  expect(text).not.toContain(source.writeKeys[0]);
}, 180_000);

test("a token that may not write a source cannot send as it either: it reads masked write keys", async () => {
  const source = await ask(NEW, "/v1/sources", { body: { name: "Shop" } });
  const ofSource = `/v1/sources/${source.body.id}`;
  const added = await ask(NEW, `${ofSource}/write-keys`, { method: "POST" });
  const whole: string[] = added.body.writeKeys;
  const masked = whole.map((key) => `${key.slice(0, 4)}********`);
  const read = await ask(DASHBOARD, ofSource);
  expect([whole.length, read.body.writeKeys]).toEqual([2, masked]);
  expect(read.body.formerKeys).toMatchObject([{ writeKey: masked[0] }]);
  const listed = await ask(DASHBOARD, `/v1/sources?search=${source.body.id}`);
  expect(listed.body.data).toMatchObject([{ writeKeys: masked }]);
  expect((await ask(NEW, ofSource)).body).toMatchObject({
    writeKeys: whole,
    formerKeys: [{ writeKey: whole[0] }],
  });
}, 180_000);
