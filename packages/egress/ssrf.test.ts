// Nothing inside is ever connected to, whatever spelling, answer or redirect asks for it (contract 6.1).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { classifyResult, urlProblem } from "#contract";
import { systemHost } from "#host";
import { emptyResponse, type RawServer, startRawServer } from "#support/raw-server";
import { type ConnectionAttempts, watchConnectionAttempts } from "./fixtures/connection-attempts.ts";
import { corpusAnswers, ssrfTargets, urlsOf } from "./fixtures/ssrf-corpus.ts";
import { createEgress, type Egress, type EgressOptions, type Resolve } from "./index.ts";

/** A server on every address of this machine where there is IPv6, else on every IPv4 address. */
let inside: RawServer;
let attempts: ConnectionAttempts;
let client: Egress | undefined;

beforeAll(async () => {
  const answer: Parameters<typeof startRawServer>[0] = (socket) => socket.write(emptyResponse(200));
  inside = await startRawServer(answer, { host: "::" }).catch(() =>
    startRawServer(answer, { host: "0.0.0.0" }),
  );
});
afterAll(() => inside.close());

beforeEach(() => {
  attempts = watchConnectionAttempts();
});
afterEach(async () => {
  await client?.close();
  client = undefined;
  attempts.stop();
});

const resolveCorpus: Resolve = async (hostname) => {
  const answers = corpusAnswers(hostname);
  if (answers === undefined) throw Object.assign(new Error("unknown name"), { code: "ENOTFOUND" });
  return answers;
};

function openEgress(options: Partial<EgressOptions> = {}): Egress {
  client = createEgress({ allowCidrs: [], resolve: resolveCorpus, ...options });
  return client;
}

function post(egress: Egress, url: string, headers: Record<string, string> = {}) {
  return egress.post({ url, headers, body: Buffer.from("{}"), deadlineMs: 10_000 });
}

/** The end of a request to a target, in one word. */
async function endOf(egress: Egress, url: string): Promise<string> {
  const result = await post(egress, url);
  return result.kind === "response" ? `status ${result.status}` : result.failure;
}

/** The targets that did not end as refused, with how they ended. */
async function notRefused(egress: Egress, targets: readonly string[]): Promise<string[]> {
  const urls = targets.flatMap((target) => urlsOf(target, inside.port));
  const ends = await Promise.all(urls.map(async (url) => ({ url, end: await endOf(egress, url) })));
  return ends
    .filter(({ end }) => end !== "blocked_address" && end !== "invalid_request")
    .map(({ url, end }) => `${JSON.stringify(url)}: ${end}`);
}

describe("the corpus of forbidden targets", () => {
  test("has at least 200 spellings, each once", () => {
    const targets = ssrfTargets.flatMap(([, spellings]) => spellings);
    expect(new Set(targets).size).toBe(targets.length);
    expect(targets.length).toBeGreaterThanOrEqual(200);
  });

  test.each(ssrfTargets)("is refused by the way out: %s", async (_why, targets) => {
    expect(await notRefused(openEgress(), targets)).toEqual([]);
    expect(attempts.addresses).toEqual([]);
    expect(inside.reachedAt).toEqual([]);
  });

  test.each(ssrfTargets)(
    "is refused beside an allow-list that opens something else: %s",
    async (_why, targets) => {
      const egress = openEgress({ allowCidrs: ["10.9.8.0/24", "127.99.0.0/16", "fd99::/16"] });
      expect(await notRefused(egress, targets)).toEqual([]);
      expect(attempts.addresses).toEqual([]);
      expect(inside.reachedAt).toEqual([]);
    },
  );

  test("is refused by the configuration wherever the URL parser would read another host than a person", () => {
    const urls = ssrfTargets.flatMap(([, targets]) =>
      targets.flatMap((target) => urlsOf(target, inside.port)),
    );
    const accepted = urls.filter((url) => urlProblem(url) === undefined);
    // One scheme, two slashes, the host, its port: nothing before the host, nothing that the parser drops or turns.
    const plain = /^https?:\/\/[^\s/\\@?#]+(?:[/?#][^\s\\]*)?$/i;
    expect(accepted.filter((url) => !plain.test(url))).toEqual([]);
    expect(accepted.length).toBeLessThan(urls.length);
  });

  test("can be failed: what is allowed is connected to, and seen", async () => {
    const egress = openEgress({ allowCidrs: ["127.0.0.0/8"] });
    const server = await startRawServer((socket) => socket.write(emptyResponse(200)));
    const ends = await notRefused(egress, [`127.1:${server.port}/#`]);
    expect(ends).toContainEqual(expect.stringContaining("status 200"));
    expect(attempts.addresses).toContain("127.0.0.1");
    expect(server.reachedAt).toContain("127.0.0.1");
    await egress.close();
    await server.close();
  });
});

describe("a forbidden address", () => {
  test("is refused when the system's own resolver gives it for a name", async () => {
    client = createEgress({ allowCidrs: [] });
    const result = await post(client, `http://localhost:${inside.port}/`);
    expect(result).toMatchObject({ kind: "failure", failure: "blocked_address" });
    expect(attempts.addresses).toEqual([]);
  });

  test("is not named in the message that customers read, which says how it is opened", async () => {
    const egress = openEgress({ resolve: async () => [{ address: "10.20.30.40", family: 4 }] });
    const result = await post(egress, "http://inside.test/");
    expect(result).toMatchObject({
      message: expect.stringContaining("HOOKLINE_EGRESS_ALLOW_CIDRS opens it"),
    });
    expect(JSON.stringify(result)).not.toContain("10.20.30.40");
  });
});

describe("an endpoint outside that points inside", () => {
  let outside: RawServer;
  let response = "";

  beforeEach(async () => {
    outside = await startRawServer((socket) => socket.write(response), { host: "127.0.0.2" });
  });
  afterEach(() => outside.close());

  const outsideUrl = () => `http://127.0.0.2:${outside.port}/hook`;

  test.each([300, 301, 302, 303, 305, 307, 308])("is not followed by its redirect %i", async (status) => {
    const egress = openEgress({ allowCidrs: ["127.0.0.2"] });
    for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "2130706433", "127.0.0.2"]) {
      response = emptyResponse(status, `Location: http://${host}:${inside.port}/`, "Connection: close");
      const result = await post(egress, outsideUrl());
      expect(result).toMatchObject({ kind: "response", status });
      expect(classifyResult(result, 0)).toMatchObject({ kind: "permanent", reason: "http_3xx" });
    }
    expect(new Set(attempts.addresses)).toEqual(new Set(["127.0.0.2"]));
    expect(inside.reachedAt).toEqual([]);
  });

  test("is not followed by any other header of a response", async () => {
    const egress = openEgress({ allowCidrs: ["127.0.0.2"] });
    const target = `http://127.0.0.1:${inside.port}/`;
    const hints = [`Alt-Svc: http/1.1="127.0.0.1:${inside.port}"`, `Refresh: 0; url=${target}`];
    for (const header of [...hints, `Location: ${target}`, `Link: <${target}>; rel=preload`]) {
      response = emptyResponse(200, header, "Connection: close");
      for (const _ of [1, 2]) expect(await post(egress, outsideUrl())).toMatchObject({ status: 200 });
    }
    expect(new Set(attempts.addresses)).toEqual(new Set(["127.0.0.2"]));
    expect(inside.reachedAt).toEqual([]);
  });
});

describe("a name that changes its answer (DNS rebinding)", () => {
  test("is connected to only where the very answer was checked, also while the clock is set back", async () => {
    let asked = 0;
    let nowMs = Date.now();
    const now = () => {
      nowMs -= 1_000;
      return nowMs;
    };
    const resolve: Resolve = async () => {
      asked += 1;
      return [{ address: asked % 2 === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
    };
    const server = await startRawServer((socket) => socket.end(emptyResponse(200, "Connection: close")), {
      host: "0.0.0.0",
    });
    const host = { ...systemHost, now };
    const egress = openEgress({ allowCidrs: ["127.0.0.2"], resolve, host, dnsTtlMs: 0 });
    const ends: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      ends.push(await endOf(egress, `http://rebind.test:${server.port}/`));
    }
    await egress.close();
    await server.close();
    expect(new Set(ends)).toEqual(new Set(["status 200", "blocked_address"]));
    expect(new Set(attempts.addresses)).toEqual(new Set(["127.0.0.2"]));
    expect(new Set(server.reachedAt)).toEqual(new Set(["127.0.0.2"]));
  });
});
