// Sessions of real processes of control: beside each other, and one after the other.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";

const TOKEN = "ops-token-0123456789";
const settings = { HOOKLINE_API_TOKENS: `ops:read+write:${TOKEN}`, HOOKLINE_CONTROL_HOST: "127.0.0.1" };

let first: ControlService;
let second: ControlService;
beforeAll(async () => {
  first = await startControl({ settings });
  const { keys, prefix, stack } = first;
  second = await startControl({ stack, prefix, keys, settings });
}, 180_000);
afterAll(async () => {
  await second?.stop();
});

test("a session of one process is one of the other, survives a restart, and its changes are the token's", async () => {
  const begun = await first.ask("/v1/session", {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(begun.status).toBe(201);
  const [cookie = ""] = (begun.headers.get("set-cookie") ?? "").split(";");
  const headers = { cookie, "x-csrf-token": begun.body.session.csrfToken };
  await first.stop();
  const made = await second.ask("/v1/sources", { headers, body: { name: "Shop" } });
  expect(made.status).toBe(201);
  const { body } = await second.ask(`/v1/audit?resourceId=${made.body.id}`, { headers: { cookie } });
  expect(body.data.map(({ token }: { token: string }) => token)).toEqual(["ops"]);
  expect((await second.ask("/v1/sources", { headers: { cookie }, body: { name: "Blog" } })).status).toBe(403);
});

test("what is recorded is said with times, and what is not with null", async () => {
  const { status, body } = await second.ask("/v1/info", { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    audiences: true,
    kept: { calls: "3d", deadLetters: "14d", refusedCalls: "7d", auditLog: "90d" },
    recorded: { maxRows: 2_000_000, attempts: { keptFor: "7d", oldest: null, newest: null } },
  });
});
