// What an operator reads of a registry that is away, or answers with an error.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { RawSchema } from "./avro.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { reasonOf } from "./registry-reason.ts";

const SCHEMA: RawSchema = { type: "record", name: "A", fields: [] };
const TIMEOUT_MS = 300;

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The address of a registry that answers everything alike, or as the function says; undefined never answers. */
async function answering(given: Answer | undefined | (() => Answer)) {
  const opened = createServer((_, response) => {
    const answer = typeof given === "function" ? given() : given;
    if (answer !== undefined)
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  server = opened;
  await new Promise<void>((resolve) => void opened.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
}

/** What is said of each request that a registry at this address gets. */
async function saidAt(url: string): Promise<string[]> {
  const registry: Registry = createRegistry(url, TIMEOUT_MS);
  const asked = await Promise.allSettled([
    registry.idOf("s", SCHEMA),
    registry.requireBackwardCompatibility("s"),
    registry.schemaOf(3),
  ]);
  return asked.map((each) => (each.status === "rejected" ? (each.reason as Error).message : "answered"));
}

const requests = (url: string) => [
  `POST ${url}/subjects/s`,
  `PUT ${url}/config/s`,
  `GET ${url}/schemas/ids/3`,
];

test.each([404, 409, 422])(
  "a status of %d about a schema's id condemns no record, also where the schema is given a moment later",
  async (status) => {
    let refusals = 3;
    const refused = { status, body: "<html>of a proxy</html>" };
    const schema = { status: 200, body: JSON.stringify({ schema: JSON.stringify(SCHEMA) }) };
    const registry = createRegistry(await answering(() => (--refusals >= 0 ? refused : schema)), TIMEOUT_MS);
    const unavailable = { name: "RegistryUnavailableError", canRetry: true };
    // Each asks twice where it is refused.
    await expect(registry.schemaOf(3)).rejects.toMatchObject(unavailable);
    await expect(registry.schemaOf(3)).rejects.toMatchObject(unavailable);
    expect(await registry.schemaOf(3)).toMatchObject({ name: "A" });
  },
);

describe("what is said of a registry", () => {
  test.each([
    ["names its error", 401, '{"error_code":401,"message":"Unauthorized"}', ": Unauthorized"],
    ["gives another object", 503, '{"error":"busy"}', ""],
    ["gives nothing", 500, "", ""],
  ])("that %s", async (_, status, body, reason) => {
    const url = await answering({ status, body });
    expect(await saidAt(url)).toEqual(requests(url).map((each) => `${each}: status ${status}${reason}`));
  });

  test("that is a page of something else, cut", async () => {
    const url = await answering({ status: 502, body: `<html>\n  ${"x".repeat(1_000)}</html>` });
    const [first] = await saidAt(url);
    expect(first).toBe(`POST ${url}/subjects/s: status 502: <html> ${"x".repeat(193)}…`);
  });

  test("that does not answer in time", async () => {
    const url = await answering(undefined);
    expect(await saidAt(url)).toEqual([
      expect.stringMatching(/^POST \S+\/subjects\/s: Timeout \(300ms\)$/),
      expect.stringMatching(/^PUT \S+\/config\/s: The operation was aborted due to timeout$/),
      expect.stringMatching(/^GET \S+\/schemas\/ids\/3: Timeout \(300ms\)$/),
    ]);
  });

  test("that is not there", async () => {
    const url = await answering(undefined);
    server?.close();
    await new Promise((resolve) => server?.once("close", resolve));
    const refused = `connect ECONNREFUSED ${new URL(url).host}`;
    expect(await saidAt(url)).toEqual(requests(url).map((each) => `${each}: ${refused}`));
  });

  test("that is at none of the addresses of its name", () => {
    const both = new AggregateError([
      new Error("connect ECONNREFUSED ::1:1"),
      new Error("connect ETIMEDOUT"),
    ]);
    expect(reasonOf(both)).toBe("connect ECONNREFUSED ::1:1, connect ETIMEDOUT");
    expect(reasonOf(new TypeError("fetch failed", { cause: both }))).toBe(reasonOf(both));
    expect(reasonOf(Object.assign(new Error(""), { code: "ECONNREFUSED" }))).toBe("ECONNREFUSED");
  });
});
