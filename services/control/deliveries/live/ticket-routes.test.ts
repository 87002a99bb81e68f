// Streams that are opened by a ticket, over HTTP; what they tell is the test's.
import { hash } from "node:crypto";
import { afterEach, expect, test } from "@jest/globals";
import type { ApiScope } from "#runtime";
import { recordedLog } from "#support/recorded-log";
import { createAuthorise } from "../../http/auth.ts";
import { testSessions } from "../../http/fixtures/sessions.ts";
import { createServer } from "../../http/server.ts";
import { addSessionRoutes } from "../../http/sessions/routes.ts";
import { LIVE_BOUNDS, Listeners } from "./listeners.ts";
import type { LiveRouteParts } from "./parts.ts";
import { addLiveRoutes } from "./routes.ts";
import { addTicketRoutes } from "./ticket-routes.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const tokenOf = (name: string, ...scopes: ApiScope[]) => ({
  ...{ name, scopes },
  digest: hash("sha256", `token-${name}`, "buffer"),
});
const bearer = (name: string) => ({ authorization: `Bearer token-${name}` });
const LIVE = "/v1/sources/src_1/live";
const there = (id: string) => ({
  get: (asked: string) => (asked === id ? { id } : undefined),
});

interface Asked {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
}

async function started(tokens = [tokenOf("ops", "read"), tokenOf("ci", "read"), tokenOf("writer", "write")]) {
  let nowMs = 0;
  const timersMs: number[] = [];
  const host = {
    elapsed: () => nowMs,
    now: () => nowMs,
    uuid: () => "run",
    setInterval: () => ({ clear: () => undefined }),
    setTimeout(_work: () => void, delayMs: number) {
      timersMs.push(delayMs);
      return { clear: () => undefined };
    },
  };
  const listeners = new Listeners({ host, onSourcesWatched: () => undefined });
  const sessions = testSessions({ nowMs: () => nowMs });
  let authorise = createAuthorise(tokens, sessions);
  const { lines, logger } = recordedLog();
  let opened = Promise.withResolvers<void>();
  const live: Pick<LiveRouteParts["live"], "listen"> = {
    listen(subject, caller) {
      const stream = listeners.listen(subject, caller);
      opened.resolve();
      return stream;
    },
  };
  const parts = {
    ...{ host, live, sessions, sources: there("src_1"), destinations: there("dst_1") },
  } as unknown as LiveRouteParts & { readonly sessions: typeof sessions };
  const server = await createServer({
    authorise: (request) => authorise(request),
    telemetry: { answered: () => undefined },
    logger,
    newRequestId: () => "made",
    routes: [
      (app) => addSessionRoutes(app, parts),
      (app) => addLiveRoutes(app, parts),
      (app) => addTicketRoutes(app, parts),
    ],
  });
  ends.push(
    () => listeners.end(),
    () => server.close(),
  );
  const ask = async (url: string, { method = "GET", headers = {} }: Asked = {}) => {
    const answer = await server.inject({ method, url, headers: { host: "localhost:8090", ...headers } });
    const { statusCode: status, body: text, cookies, headers: has } = answer;
    return { ...{ status, text, cookies, headers: has }, body: text.startsWith("{") ? answer.json() : {} };
  };
  return {
    ...{ ask, lines, listeners, timersMs },
    ticket: (headers: Asked["headers"] = bearer("ops"), path = LIVE, query = "") =>
      ask(`${path}/ticket${query}`, { method: "POST", ...(headers !== undefined && { headers }) }),
    /** A stream or its refusal, as soon as it is there; `ended` resolves to the whole answer. */
    async open(url: string, headers = {}) {
      opened = Promise.withResolvers();
      const ended = ask(url, { headers });
      await Promise.race([opened.promise, ended]);
      listeners.begun();
      return { ended };
    },
    pass: (durationMs: number) => {
      nowMs += durationMs;
    },
    setTokens: (changed: typeof tokens) => {
      authorise = createAuthorise(changed, sessions);
    },
  };
}

type Started = Awaited<ReturnType<typeof started>>;

/** What a stream told until everybody was cut off, or its refusal. */
async function told({ listeners, open }: Started, url: string, headers = {}) {
  const { ended } = await open(url, headers);
  await listeners.disconnect();
  return await ended;
}

const accepted = (n: number) => ({ name: "accepted", sourceId: "src_1", data: () => ({ n }) }) as const;
const LISTENING = { status: 200, text: expect.stringContaining("event: listening") };
const refusedWith = (detail: string) => ({
  status: 401,
  body: expect.objectContaining({ type: "urn:hookline:problem:unauthorized", detail }),
});
const EXPIRED = refusedWith("the ticket has expired: ask for a new one by POST …/live/ticket");
const NOT_FOR_IT = refusedWith("the ticket is not for this URL, or its token is gone");

test.each([LIVE, "/v1/destinations/dst_1/live"])("a ticket opens %s without a token", async (path) => {
  const world = await started();
  expect((await world.ask(path)).status).toBe(401);
  const { body, headers, status } = await world.ticket(bearer("ops"), path);
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      ticket: expect.any(String),
      url: `${path}?ticket=${body.ticket}`,
      endsAt: "1970-01-01T00:01:00.000Z",
    },
  });
  expect(headers["cache-control"]).toBe("no-store");
  expect(await told(world, body.url)).toMatchObject(LISTENING);
});

test("after its minute it is refused, also when an EventSource comes again with its last id", async () => {
  const world = await started();
  const { url } = (await world.ticket()).body;
  world.pass(59_999);
  expect(await told(world, url, { "last-event-id": "run.1" })).toMatchObject(LISTENING);
  world.pass(1);
  expect(await told(world, url)).toMatchObject(EXPIRED);
  expect(await told(world, url, { "last-event-id": "run.1" })).toMatchObject(EXPIRED);
});

test("it opens nothing else: no other stream, no other id to go on from, no other route", async () => {
  const world = await started();
  const { ticket } = (await world.ticket()).body;
  for (const url of ["/v1/destinations/dst_1/live?", "/v1/sources/src_2/live?", `${LIVE}?lastEventId=run.1&`])
    expect(await told(world, `${url}ticket=${ticket}`)).toMatchObject(NOT_FOR_IT);
  const elsewhere = refusedWith("send Authorization: Bearer <token>");
  expect(await world.ask(`/v1/me?ticket=${ticket}`)).toMatchObject(elsewhere);
  expect(await world.ask(`${LIVE}/ticket?ticket=${ticket}`, { method: "POST" })).toMatchObject(elsewhere);
});

test("it has the scopes that its token has now, and ends with it", async () => {
  const world = await started();
  const { url } = (await world.ticket()).body;
  world.setTokens([tokenOf("ops", "write")]);
  const { body, status } = await told(world, url);
  expect([status, body.detail]).toEqual([403, "this needs the scope read, and the token ops has only write"]);
  world.setTokens([tokenOf("ci", "read")]);
  expect(await told(world, url)).toMatchObject(NOT_FOR_IT);
});

test("who may not read the stream gets no ticket, and of what is not there is none", async () => {
  const { ticket } = await started();
  expect((await ticket({})).status).toBe(401);
  expect((await ticket(bearer("writer"))).status).toBe(403);
  expect((await ticket(bearer("ops"), "/v1/sources/src_2/live")).status).toBe(404);
  expect((await ticket(bearer("ops"), "/v1/destinations/dst_2/live")).status).toBe(404);
});

test("a session asks with its CSRF token, and what it opens is cut off when it ends", async () => {
  const world = await started();
  const begun = await world.ask("/v1/session", { method: "POST", headers: bearer("ops") });
  const cookie = `${begun.cookies[0]?.name}=${begun.cookies[0]?.value}`;
  expect((await world.ticket({ cookie })).status).toBe(403);
  world.pass(12 * 3_600_000 - 20_000);
  const headers = { cookie, "x-csrf-token": begun.body.session.csrfToken };
  const { body } = await world.ticket(headers);
  expect(body.endsAt).toBe("1970-01-01T12:00:00.000Z");
  expect(await told(world, body.url)).toMatchObject(LISTENING);
  expect(world.timersMs).toContain(20_000);
  // A browser sends its cookie along.
  const { url } = (await world.ticket()).body;
  world.pass(60_000);
  expect(await told(world, url, { cookie })).toMatchObject(EXPIRED);
});

test("is for one stream: whoever comes again with it ends the stream that it had", async () => {
  const world = await started();
  const { url } = (await world.ticket()).body;
  const first = await world.open(url);
  const others = [await world.open(LIVE, bearer("ops")), await world.open((await world.ticket()).body.url)];
  for (let n = 0; n < 2 * LIVE_BOUNDS.listenersOfToken; n += 1) await world.open(url);
  expect((await first.ended).text).not.toContain('{"n":1}');
  world.listeners.tell(accepted(1));
  expect(await told(world, url)).toMatchObject(LISTENING);
  for (const other of others) expect((await other.ended).text).toContain('{"n":1}');
});

test("streams of tickets are counted with those of their token", async () => {
  const world = await started();
  const ci = (await world.ticket(bearer("ci"))).body.url;
  const next = async (): Promise<string> => (await world.ticket()).body.url;
  const most = LIVE_BOUNDS.listenersOfToken;
  for (let n = 1; n < most; n += 1) await world.open(await next());
  await world.open(LIVE, bearer("ops"));
  const refused = await (await world.open(await next())).ended;
  expect([refused.status, refused.body.detail]).toEqual([
    503,
    `${most} listen already with the token ops, which is the most`,
  ]);
  expect(await told(world, ci)).toMatchObject(LISTENING);
});

test("a page that begins anew goes on behind the last event that it had", async () => {
  const world = await started();
  const first = await world.open((await world.ticket()).body.url);
  world.listeners.tell(accepted(1));
  await world.listeners.disconnect();
  const [, lastId] = /data: \{"n":1\}\nid: (\S+)/.exec((await first.ended).text) ?? [];
  for (const n of [2, 3]) world.listeners.tell(accepted(n));
  const { url } = (await world.ticket(bearer("ops"), LIVE, `?lastEventId=${lastId}`)).body;
  const numbers = (text: string) => [...text.matchAll(/"n":(\d)/g)].map(([, n]) => Number(n));
  const { text } = await told(world, url);
  expect(numbers(text)).toEqual([2, 3]);
  // The header of an EventSource that comes again is newer.
  const [second = ""] = [...text.matchAll(/^id: (\S+)/gm)].map(([, id]) => id);
  expect(numbers((await told(world, url, { "last-event-id": second })).text)).toEqual([3]);
});

test("no log line and no refusal has a ticket", async () => {
  const world = await started();
  const { ticket, url } = (await world.ticket()).body;
  for (let n = 0; n < LIVE_BOUNDS.listenersOfToken; n += 1) await world.open(LIVE, bearer("ops"));
  const refusals = [await (await world.open(url)).ended, await world.ask(`/v1/nothing?ticket=${ticket}`)];
  const more = [`${url}&unknown=1`, `${url}&ticket=2`, `/v1/sources/src_2/live?ticket=${ticket}`];
  for (const each of more)
    refusals.push(await world.ask(each), await world.ask(each, { headers: bearer("ops") }));
  world.pass(60_000);
  refusals.push(await world.ask(url));
  expect(refusals.every(({ status }) => status >= 400)).toBe(true);
  expect(world.lines.length).toBeGreaterThan(0);
  expect(JSON.stringify([world.lines, refusals.map(({ text }) => text)])).not.toContain(ticket);
});

test("where no token is configured none is needed", async () => {
  const world = await started([]);
  expect(await world.ticket({})).toMatchObject({
    status: 409,
    body: { detail: "no token is configured: this machine needs no ticket" },
  });
  expect(await told(world, `${LIVE}?ticket=a`)).toMatchObject(LISTENING);
});
