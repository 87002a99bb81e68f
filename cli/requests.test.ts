// Tests the requests that commands make to the control API, by their options. The API is a server that notes
// every request and answers one entry.
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { AUDIT_ACTIONS } from "../services/control/http/audit/audit.ts";
import { OPTIONS } from "../services/control/resources/destinations/options/table.ts";
import { type Printed, printedBy } from "./fixtures/printed.ts";

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly body?: unknown;
}

let asked: Asked[] = [];
let server: Server;
let folder: string;

beforeAll(async () => {
  folder = scratchFolder();
  server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const hasBody = headers["content-type"] === "application/json";
    asked.push({ method, url: decodeURIComponent(url ?? ""), ...(hasBody && { body: await json(request) }) });
    if (url?.includes("/cut")) response.writeHead(200, { "content-length": 99, connection: "close" });
    else if (url?.includes("/moved")) response.writeHead(302, { location: "/login?for=me" });
    else response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "x", data: [], next: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  asked = [];
});

function settings(): Record<string, string> {
  return { HOOKLINE_CONTROL_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** `line` is split at its blanks. */
function hookline(line: string, ...more: readonly string[]): Promise<Printed> {
  return printedBy([...line.split(" "), ...more], settings());
}

async function fileOf(content: object): Promise<string> {
  const path = join(folder, "file.json");
  await writeFile(path, JSON.stringify(content));
  return path;
}

const NAMED = "--name Shop --enabled true --search sh --sort -name";
const NAMED_QUERY = "name=Shop&enabled=true&search=sh&sort=-name";
const RANGE = "--from 2026-01-31T12:00Z --to 2026-01-31T14:00Z";
const RANGE_QUERY = "from=2026-01-31T12:00Z&to=2026-01-31T14:00Z";

describe("a list is asked for with every filter that was given", () => {
  test.each([
    [
      `sources list ${NAMED} --label team:growth --label env`,
      `/v1/sources?${NAMED_QUERY}&label=team:growth&label=env`,
    ],
    [
      `destinations list ${NAMED} --source-id s --health failing --label team`,
      `/v1/destinations?${NAMED_QUERY}&sourceId=s&health=failing&label=team`,
    ],
    [
      `dead-letters list --destination-id d --reason permanent --replay-id r ${RANGE}`,
      `/v1/dead-letters?destinationId=d&reason=permanent&replayId=r&${RANGE_QUERY}`,
    ],
    ["issues list --destination-id d --state open", "/v1/issues?destinationId=d&state=open"],
    ["dead-letters list --issue-id i", "/v1/dead-letters?issueId=i"],
    [
      `attempts list d --outcome failed --message-id m ${RANGE}`,
      `/v1/destinations/d/attempts?outcome=failed&messageId=m&${RANGE_QUERY}`,
    ],
  ])("%s", async (line, url) => {
    expect(await hookline(`${line} --limit 7`)).toMatchObject({ code: 0 });
    expect(asked).toEqual([{ method: "GET", url: `${url}&limit=7` }]);
  });
});

describe("options are fields of the request", () => {
  test("of a new source, and of one that is changed", async () => {
    await hookline("sources create --name Shop --label team=growth --label note=a=b");
    await hookline("sources update s --enable --label env= --remove-label team");
    await hookline("sources update s --disable");
    expect(asked).toEqual([
      { method: "POST", url: "/v1/sources", body: { name: "Shop", labels: { team: "growth", note: "a=b" } } },
      { method: "PATCH", url: "/v1/sources/s", body: { enabled: true, labels: { team: null, env: "" } } },
      { method: "PATCH", url: "/v1/sources/s", body: { enabled: false } },
    ]);
  });

  test("of calls that are to be sent now", async () => {
    await hookline("destinations retry d");
    await hookline("destinations retry d --message-id a --message-id b --user-id u");
    await hookline("destinations retry d --anonymous-id c");
    expect(asked).toEqual([
      { method: "POST", url: "/v1/destinations/d/retry", body: {} },
      {
        method: "POST",
        url: "/v1/destinations/d/retry",
        body: { messageIds: ["a", "b"], userId: "u" },
      },
      { method: "POST", url: "/v1/destinations/d/retry", body: { anonymousId: "c" } },
    ]);
  });

  test("of what is only counted", async () => {
    for (const command of ["retry", "pause", "resume"]) await hookline(`destinations ${command} d --dry-run`);
    await hookline("destinations resume d");
    await hookline("dead-letters replay a --dry-run");
    await hookline("replays start --destination-id d --dry-run");
    const paths = ["retry", "pause", "resume"].map((what) => `/v1/destinations/d/${what}`);
    const dryRun = true;
    expect(asked).toEqual([
      ...paths.map((url) => ({ method: "POST", url, body: { dryRun } })),
      { method: "POST", url: "/v1/destinations/d/resume", body: {} },
      { method: "POST", url: "/v1/dead-letters/replay", body: { ids: ["a"], dryRun } },
      { method: "POST", url: "/v1/replays", body: { destinationId: "d", dryRun } },
    ]);
  });

  test("of a new destination", async () => {
    const filter = { path: "properties.total", op: "greater_than", value: 100 };
    await hookline(
      `destinations create --name D --source s --webhook https://example.com/ --filter ${await fileOf(filter)}`,
      ...["--label", "team=growth", "--header", "x-team: growth"],
      ...["--retry-delays", "10s, 1m,2h", "--retry-window", "6h", "--enable"],
    );
    const body = {
      name: "D",
      sourceIds: ["s"],
      webhooks: [{ url: "https://example.com/", headers: { "x-team": "growth" } }],
      filter,
      labels: { team: "growth" },
      retryDelays: ["10s", "1m", "2h"],
      retryWindow: "6h",
      enabled: true,
    };
    expect(asked).toEqual([{ method: "POST", url: "/v1/destinations", body }]);
  });

  test("of a destination that is changed: they stand over those of the file", async () => {
    const file = await fileOf({ retryWindow: "1h", maxRequestsPerSecond: 5 });
    await hookline(`destinations update d --file ${file} --retry-window 2h --remove-label a`);
    const body = { retryWindow: "2h", maxRequestsPerSecond: 5, labels: { a: null } };
    expect(asked).toEqual([{ method: "PATCH", url: "/v1/destinations/d", body }]);
  });

  test("of options of a destination of every kind, and of their default", async () => {
    const limits = "--max-requests-per-second 0.5 --max-in-flight 3 --shards 1 --disable-after 2h";
    const defaults = "--filter default --retry-delays default --retry-window default";
    const line = `destinations update d --call-types track,page ${limits} --standard-webhooks ${defaults}`;
    await hookline(line, "--events", "Bought, Signed Up");
    await hookline("destinations update d --no-standard-webhooks");
    const body = {
      ...{ callTypes: ["track", "page"], events: ["Bought", "Signed Up"], filter: null },
      ...{ maxRequestsPerSecond: 0.5, maxInFlight: 3, shards: 1, disableAfter: "2h" },
      ...{ retryDelays: null, retryWindow: null, standardWebhooks: true },
    };
    expect(asked.map((request) => request.body)).toEqual([body, { standardWebhooks: false }]);
    const { out } = await hookline("destinations update --help");
    const flags = Object.keys(OPTIONS).map((name) => name.replaceAll(/[A-Z]/g, (upper) => `-${upper}`));
    expect(flags.filter((flag) => !out.includes(`--${flag.toLowerCase()}`))).toEqual([]);
    expect((await hookline("destinations update d --shards two")).code).toBe(2);
  });

  test("of a test of a filter", async () => {
    const filter = { event: "A" };
    const options = "--source-id s --limit 7 --call-type track --event A --event B --json";
    await hookline(`filters test --file ${await fileOf(filter)} ${options}`);
    const body = { sourceId: "s", filter, callTypes: ["track"], events: ["A", "B"], limit: 7 };
    expect(asked).toEqual([{ method: "POST", url: "/v1/filters/test", body }]);
  });

  test("of a replay, of one destination or of all that a source has", async () => {
    await hookline(`replays start --destination-id d --source-id s --event Bought ${RANGE}`);
    await hookline("replays start --source-id s --which all --calls-per-second 5");
    const range = { from: "2026-01-31T12:00Z", to: "2026-01-31T14:00Z" };
    const one = { destinationId: "d", sourceId: "s", event: "Bought", ...range };
    expect(asked).toEqual([
      { method: "POST", url: "/v1/replays", body: one },
      { method: "POST", url: "/v1/sources/s/replays", body: { which: "all", callsPerSecond: 5 } },
    ]);
    expect((await hookline("replays start --which all")).code).toBe(2);
    expect((await hookline("replays start --source-id s --to-destination-id d")).code).toBe(2);
  });

  test("of what is said of an issue", async () => {
    for (const command of ["acknowledge", "resolve", "reopen"]) await hookline(`issues ${command} i`);
    await hookline("issues snooze i --until 2026-01-31T12:00Z");
    const states = [{ state: "acknowledged" }, { state: "resolved" }, { state: "open" }];
    const snoozed = { state: "snoozed", snoozedUntil: "2026-01-31T12:00Z" };
    expect(asked).toEqual(
      [...states, snoozed].map((body) => ({ method: "PATCH", url: "/v1/issues/i", body })),
    );
    const beforeMs = Date.now();
    await hookline("issues snooze i --for 4h");
    const { snoozedUntil } = (asked.at(-1)?.body ?? {}) as { snoozedUntil: string };
    expect(Date.parse(snoozedUntil) - beforeMs - 4 * 3_600_000).toBeLessThan(60_000);
    expect(Date.parse(snoozedUntil) - beforeMs).toBeGreaterThanOrEqual(4 * 3_600_000);
    for (const wrong of [[], ["--for", "long"], ["--for", "4h", "--until", "2026-01-31T12:00Z"]])
      expect((await hookline("issues snooze i", ...wrong)).code).toBe(2);
  });

  test("of dead letters that are sent again, also to another destination", async () => {
    await hookline("dead-letters replay --issue-id i --to-destination-id e");
    await hookline("dead-letters replay a --to-destination-id e");
    for (const wrong of ["dead-letters replay", "dead-letters replay a --destination-id d"])
      expect((await hookline(wrong)).code).toBe(2);
    const bodies = [
      { issueId: "i", toDestinationId: "e" },
      { ids: ["a"], destinationId: "e" },
    ];
    expect(asked.map(({ body }) => body)).toEqual(bodies);
  });

  test("of a regulation of the users in a file, whose byte order mark is no part of the first one", async () => {
    const path = join(folder, "users.txt");
    await writeFile(path, "\uFEFFu1\r\nu 2\n");
    await hookline(`regulations create --type DELETE_ONLY --users-file ${path}`);
    const body = { regulationType: "DELETE_ONLY", subjectType: "USER_ID", subjectIds: ["u1", "u 2"] };
    expect(asked).toEqual([{ method: "POST", url: "/v1/regulations", body }]);
  });

  test.each<[BufferEncoding, string]>([
    ["latin1", "andré\n"],
    ["utf16le", "\uFEFFu1\r\n"],
  ])(
    "users in a file that is no UTF-8 but %s are refused before anything is asked",
    async (encoding, text) => {
      const path = join(folder, "users.txt");
      await writeFile(path, text, encoding);
      const { code, said } = await hookline(`regulations create --type DELETE_ONLY --users-file ${path}`);
      expect([code, said]).toEqual([2, `hookline: ${path} is not UTF-8`]);
      expect(asked).toEqual([]);
    },
  );

  test("a list on standard input is sent as it comes", async () => {
    let taken = 0;
    function* rows(): Generator<string> {
      for (; taken < 1_000; taken += 1) yield "u".repeat(65_536);
    }
    await printedBy("imports create a i --format csv --file -".split(" "), settings(), rows());
    expect(asked).toHaveLength(1);
    // The server answers before it has read it.
    expect(taken).toBeLessThan(1_000);
  });

  test("a folder is no list to upload", async () => {
    const { code, said } = await hookline(`imports create a i --format csv --file ${folder}`);
    expect([code, said, asked]).toEqual([2, `hookline: ${folder} is a folder`, []]);
  });

  test("a label without a value is refused before anything is asked", async () => {
    expect(await hookline("sources create --name S --label team")).toMatchObject({
      code: 2,
      said: expect.stringContaining("--label team is not <key>=<value>"),
    });
    expect(asked).toEqual([]);
  });
});

test.each(["audiences members moved --csv", "audiences update moved --pause"])(
  "what answers with a redirect is not the control API: %s",
  async (line) => {
    const { code, out, said } = await hookline(line);
    expect([code, out]).toEqual([5, ""]);
    expect(said).toMatch(
      /^hookline: 127\.0\.0\.1:\d+ redirects to http:\/\/127\.0\.0\.1:\d+\/login\. HOOKLINE_CONTROL_URL says/,
    );
    expect(asked).toHaveLength(1);
  },
);

test.each(["audiences members cut --csv", "audiences show cut"])(
  "an answer that is cut off may come whole later: %s",
  async (line) => {
    const { code, said } = await hookline(line);
    expect([code, said]).toEqual([5, expect.stringContaining(" does not answer: ")]);
  },
);

test("help of the audit log names an action that there is", async () => {
  const { out } = await hookline("audit list --help");
  expect(AUDIT_ACTIONS).toContain(/--action .*`(\w+)`/.exec(out)?.[1]);
});
