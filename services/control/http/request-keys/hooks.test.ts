// Idempotency-Key with several processes on one log; on a real Kafka: repeated-requests.test.ts.
import { describe, expect, test } from "@jest/globals";
import { KeyedWorld, newBox, unavailable, WRITE_KEY } from "./fixtures/keyed-world.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

async function setup() {
  const world = new KeyedWorld();
  const [p, q] = [await world.process(), await world.process()];
  const states = () => world.log.records.map(({ state }) => state);
  return { world, p, q, states };
}

/** A step that does not come to its end before it is let go. */
function stopped() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  const step = async (): Promise<void> => {
    reach();
    await gone;
  };
  return { reached, go, step };
}

describe("a request that comes again", () => {
  test("is answered as before by whichever process, and is not carried out", async () => {
    const { world, p, q } = await setup();
    const first = await p.ask({ key: "k", body: { name: "A", note: "b" } });
    expect([first.status, first.headers["idempotent-replayed"]]).toEqual([201, undefined]);
    for (const process of [p, q]) {
      const again = await process.ask({ key: "k", body: { note: "b", name: "A" } });
      expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([
        201,
        first.text,
        "true",
      ]);
      for (const name of ["etag", "location", "content-type"])
        expect([name, again.headers[name]]).toEqual([name, first.headers[name]]);
      expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    }
    expect(world.made).toHaveLength(1);
  });

  test("is carried out again a day later", async () => {
    const { world, p } = await setup();
    await p.ask({ key: "k" });
    world.log.pass(24 * HOUR_MS - 1);
    expect((await p.ask({ key: "k" })).headers["idempotent-replayed"]).toBe("true");
    world.log.pass(1);
    expect((await p.ask({ key: "k" })).headers["idempotent-replayed"]).toBeUndefined();
    expect(world.made).toHaveLength(2);
  });

  test("with another body is refused, and names the header", async () => {
    const { world, p, q } = await setup();
    await p.ask({ key: "k" });
    const other = await q.ask({ key: "k", body: { name: "B" } });
    expect(other.status).toBe(422);
    expect(other.body.errors).toEqual([
      { path: "Idempotency-Key", message: expect.stringContaining("another body") },
    ]);
    expect(world.made).toHaveLength(1);
  });

  test("of another token or to another route is another one", async () => {
    const { world, p } = await setup();
    await p.ask({ key: "k" });
    expect((await p.ask({ key: "k", token: "other" })).headers["idempotent-replayed"]).toBeUndefined();
    expect((await p.ask({ key: "k", path: "/v1/others" })).headers["idempotent-replayed"]).toBeUndefined();
    expect(world.made).toHaveLength(3);
  });

  test("is refused when what is kept of the first was encrypted with a key that was removed; what was changed is named", async () => {
    const { world, p } = await setup();
    await p.ask({ key: "k" });
    world.secrets = newBox("k2");
    const later = await world.process();
    const again = await later.ask({ key: "k" });
    expect([again.status, again.headers["retry-after"]]).toEqual([409, undefined]);
    expect(again.body.detail).toContain("no encryption key with the id k1 is configured");
    expect(again.body.detail).toContain("source t0 created");
    expect(world.made).toHaveLength(1);
    expect((await later.ask({ key: "new" })).status).toBe(201);
  });

  test("to two processes at once is carried out once, and answered twice", async () => {
    const { world, p, q } = await setup();
    world.log.before.set("begun", async () => expect((await q.ask({ key: "k" })).status).toBe(201));
    const again = await p.ask({ key: "k" });
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    expect(world.made).toHaveLength(1);
  });

  test("while the first is under way waits for its answer, and after five seconds is asked to come again", async () => {
    const { world, p, q } = await setup();
    const { reached, go, step } = stopped();
    world.beforeAudit = step;
    const first = p.ask({ key: "k" });
    await reached;
    const waitsToo = world.log.untilOneWaits();
    const late = q.ask({ key: "k" });
    await waitsToo;
    expect((await q.ask({ key: "other" })).status).toBe(201);
    world.log.pass(5 * SECOND_MS);
    const refused = await late;
    expect([refused.status, refused.headers["retry-after"]]).toEqual([409, "1"]);
    expect(refused.body.detail).toContain("under way");
    const waits = world.log.untilOneWaits();
    const inTime = q.ask({ key: "k" });
    await waits;
    go();
    expect((await first).status).toBe(201);
    expect((await inTime).text).toBe((await first).text);
    expect(world.made).toHaveLength(2);
  });
});

describe("a first request", () => {
  test("that was refused can be corrected under the same key", async () => {
    const { world, p, q, states } = await setup();
    expect((await p.ask({ key: "k", body: { name: "" } })).status).toBe(422);
    expect((await q.ask({ key: "k" })).status).toBe(201);
    expect(states()).toEqual(["begun", "released", "begun", "finished"]);
    expect(world.made).toHaveLength(1);
  });

  test("that failed before any change is carried out by the next", async () => {
    const { world, p, q, states } = await setup();
    world.beforeAudit = unavailable;
    expect((await p.ask({ key: "k" })).status).toBe(503);
    expect((await q.ask({ key: "k" })).status).toBe(201);
    expect(states()).toEqual(["begun", "unknown", "begun", "finished"]);
    expect(world.made).toHaveLength(1);
  });

  test("that failed before any change is carried out by the next, whatever other requests with its X-Request-Id have changed", async () => {
    const { world, p } = await setup();
    const asked = { key: "k", requestId: "job-42" };
    world.beforeAudit = unavailable;
    expect((await p.ask(asked)).status).toBe(503);
    for (const key of ["other", undefined])
      expect((await p.ask({ requestId: "job-42", ...(key && { key }) })).status).toBe(201);
    expect((await p.ask(asked)).status).toBe(201);
  });

  test("that failed in the version before, when it may have changed something, is not repeated", async () => {
    const { world, p } = await setup();
    world.behindAudit = unavailable;
    expect((await p.ask({ key: "k" })).status).toBe(503);
    for (const entry of world.audited) entry.claim = null;
    expect((await p.ask({ key: "k" })).body.detail).toContain("source t0 created");
  });

  test("that failed when it may have changed something is not repeated; what that may be is named", async () => {
    const { world, p, q } = await setup();
    world.behindAudit = unavailable;
    expect((await p.ask({ key: "k" })).status).toBe(503);
    for (const process of [p, q]) {
      const again = await process.ask({ key: "k" });
      expect([again.status, again.headers["retry-after"]]).toEqual([409, undefined]);
      expect(again.body.detail).toContain("source t0 created");
    }
    expect(world.made).toHaveLength(0);
  });

  test("whose process dies before any change is followed after a minute, by one", async () => {
    const { world, p, q } = await setup();
    const dying = stopped();
    world.beforeAudit = dying.step;
    void p.ask({ key: "k" });
    await dying.reached;
    world.log.pass(60 * SECOND_MS - 1);
    const waits = world.log.untilOneWaits();
    const early = q.ask({ key: "k" });
    await waits;
    world.log.pass(5 * SECOND_MS);
    expect((await early).status).toBe(409);
    const r = await world.process();
    // Both have found it dead.
    world.log.before.set("begun", async () => expect((await r.ask({ key: "k" })).status).toBe(201));
    const again = await q.ask({ key: "k" });
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    expect(world.made).toHaveLength(1);
  });

  test("whose process dies when it may have changed something is not repeated, by a process that starts later either", async () => {
    const { world, p } = await setup();
    const dying = stopped();
    world.behindAudit = dying.step;
    void p.ask({ key: "k" });
    await dying.reached;
    world.log.pass(60 * SECOND_MS);
    const later = await world.process();
    const again = await later.ask({ key: "k" });
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain("source t0 created");
  });

  test("that was taken for dead changes nothing any more, and does not answer for the one that followed", async () => {
    const { world, p, q } = await setup();
    const { reached, go, step } = stopped();
    world.beforeAudit = step;
    const slow = p.ask({ key: "k" });
    await reached;
    world.log.pass(60 * SECOND_MS);
    const followed = await q.ask({ key: "k" });
    go();
    expect([(await slow).status, followed.status]).toEqual([503, 201]);
    expect((await p.ask({ key: "k" })).text).toBe(followed.text);
    expect([world.made.length, world.audited.length]).toEqual([1, 1]);
  });

  test("whose ending Kafka does not take is answered all the same", async () => {
    const { world, p } = await setup();
    world.log.before.set("finished", () => Promise.reject(new Error("away")));
    expect((await p.ask({ key: "k" })).status).toBe(201);
    expect(world.logged.lines.map(({ message }) => message)).toEqual([
      expect.stringContaining("is not kept"),
    ]);
    world.log.pass(60 * SECOND_MS);
    expect((await p.ask({ key: "k" })).body.detail).toContain("source t0 created");
  });
});

describe("the header", () => {
  test.each(["", "two words", "x".repeat(256), "schlüssel"])("%p is refused by name", async (key) => {
    const { world, p } = await setup();
    const { status, body } = await p.ask({ key });
    expect([status, body.errors?.[0]?.path]).toEqual([422, "Idempotency-Key"]);
    expect(world.log.records).toEqual([]);
  });

  test("has no effect on what changes nothing, and whoever sends none pays nothing", async () => {
    const { world, p } = await setup();
    for (const method of ["GET", "GET"] as const)
      expect((await p.ask({ key: "k", method })).headers["idempotent-replayed"]).toBeUndefined();
    await p.ask({ key: "k", path: "/v1/preview" });
    await p.ask({ key: "k", path: "/v1/preview" });
    await p.ask();
    expect(world.log.records).toEqual([]);
  });

  test("is in the document, with what the route has of its own", async () => {
    const { p } = await setup();
    const { paths } = (await p.server.inject({ url: "/openapi.json" })).json();
    const headersOf = (path: string) =>
      paths[path].post.parameters?.map(({ name }: { name: string }) => name);
    expect([headersOf("/v1/things"), headersOf("/v1/preview")]).toEqual([["idempotency-key"], undefined]);
  });
});

test("neither an answer nor the hash of a body is in the log as it is", async () => {
  const { world, p } = await setup();
  await p.ask({ key: "my-key" });
  const texts = world.log.records.map((record) =>
    JSON.stringify({ ...record, ciphertext: String(record.ciphertext) }),
  );
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).not.toContain(WRITE_KEY);
    expect(text).not.toContain("my-key");
  }
});

test("when there is no room for another key the request is not begun; keys that are there are answered", async () => {
  const world = new KeyedWorld();
  const p = await world.process({ maxBytes: 10_000, maxTokenBytes: 700 });
  expect((await p.ask({ key: "one" })).status).toBe(201);
  const refused = await p.ask({ key: "two" });
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  expect((await p.ask({ key: "two", token: "other" })).status).toBe(201);
  expect((await p.ask({ key: "one" })).headers["idempotent-replayed"]).toBe("true");
  expect(world.made).toHaveLength(2);
});

test("an answer that is too large to keep says so, and the next request is told at once what the first has changed", async () => {
  const { world, p, q, states } = await setup();
  const body = { name: "A", note: "x".repeat(70_000) };
  const first = await p.ask({ key: "k", body });
  expect([first.status, first.headers["idempotent-kept"]]).toEqual([201, "false"]);
  expect(states()).toEqual(["begun", "unkept"]);
  for (const process of [p, q]) {
    const again = await process.ask({ key: "k", body });
    expect([again.status, again.headers["retry-after"]]).toEqual([409, undefined]);
    expect(again.body.detail).toContain("was carried out (source t0 created)");
  }
  expect(world.made).toHaveLength(1);
});

test("a body that nests too deep to be compared is refused as unreadable, and nothing is begun", async () => {
  const { world, p } = await setup();
  const payload = `{"name":"A","note":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const headers = { "idempotency-key": "k", "content-type": "application/json" };
  const refused = await p.server.inject({ method: "POST", url: "/v1/things", headers, payload });
  expect(refused.statusCode).toBe(400);
  expect([world.log.records, world.made]).toEqual([[], []]);
});
