// Lists of sources behind the real HTTP server; what they work with is held by the test.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { recordedLog } from "#support/recorded-log";
import type { SourceConfig } from "#topics";
import { LOCAL_CALLER } from "../../http/auth.ts";
import { type ControlApp, createServer } from "../../http/server.ts";
import { listingOf } from "../../records/fixtures/listing.ts";
import type { SourceParts } from "./parts.ts";
import { addSourceRoutes } from "./routes.ts";
import { createSource } from "./source.ts";

function source(id: string, more: Partial<SourceConfig>, createdAtMs: number): SourceConfig {
  return { ...createSource({ id, name: id, writeKey: `key-of-${id}` }, createdAtMs), ...more };
}

const ALL = [
  source("s1", { name: "Shop", labels: { team: "growth" } }, 1),
  source("s2", { name: "Blog", enabled: false, labels: { team: "press" } }, 2),
  source("s3", { name: "Shop" }, 3),
];

let app: ControlApp;

beforeAll(async () => {
  const silent = () => undefined;
  const parts = { sources: listingOf(() => ALL) } as unknown as SourceParts;
  app = await createServer({
    authorise: () => LOCAL_CALLER,
    telemetry: { answered: silent },
    logger: recordedLog().logger,
    newRequestId: () => "r",
    routes: [(server) => addSourceRoutes(server, parts)],
  });
});
afterAll(() => app.close());

async function ask(query: string) {
  const answer = await app.inject(`/v1/sources?${query}`);
  return { status: answer.statusCode, body: answer.json() };
}

describe("a list of sources", () => {
  test.each([
    ["name=Shop", ["s1", "s3"]],
    ["name=shop", []],
    ["enabled=false", ["s2"]],
    ["enabled=true&name=Shop", ["s1", "s3"]],
    ["search=LO", ["s2"]],
    ["search=s3", ["s3"]],
    ["label=team", ["s1", "s2"]],
    ["label=team:press&enabled=false", ["s2"]],
    ["sort=-createdAt", ["s3", "s2", "s1"]],
    ["sort=name", ["s2", "s1", "s3"]],
    ["sort=-name&limit=1", ["s3"]],
  ])("?%s has %j", async (query, ids) => {
    const { body, status } = await ask(query);
    expect([status, body.data.map(({ id }: { id: string }) => id)]).toEqual([200, ids]);
  });

  test.each([
    ["enabled=maybe", "enabled", "must be true or false"],
    ["sort=nam", "sort", "must be one of createdAt, -createdAt, name, -name; did you mean name?"],
    ["name=", "name", "must not be empty"],
    ["name=a&name=b", "name", "is given more than once"],
    ["health=failing", "health", "is not a query parameter of this route"],
    ["lable=team", "lable", "is not a query parameter of this route; did you mean label?"],
  ])("?%s is refused by name", async (query, path, message) => {
    const { status, body } = await ask(query);
    expect([status, body.errors]).toEqual([422, [{ path, message }]]);
  });
});
