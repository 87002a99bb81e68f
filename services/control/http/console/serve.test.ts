import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { serverOf } from "../fixtures/server.ts";
import { ProblemError } from "../problem.ts";
import { readConsole } from "./files.ts";

const INDEX = "<!doctype html><title>Console</title>";

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), INDEX);
  writeFileSync(join(folder, "assets/main-1a2b.js"), "run()");
  writeFileSync(join(folder, "assets/main-1a2b.js.gz"), gzipSync("run()"));
  writeFileSync(join(folder, "stamp"), "0");
});

/** Control as it is with tokens: nobody gets past it here. */
async function server(files: ReturnType<typeof readConsole> | undefined) {
  const authorise = (): never => {
    throw new ProblemError("unauthorized", "send Authorization: Bearer <token>");
  };
  return serverOf([], { authorise, files });
}

test("a page needs no token, may be loaded only from here, and is asked for again each time", async () => {
  const app = await server(readConsole(folder));
  for (const url of ["/console/", "/console/destinations/dst_1?search=&x=1", "/console/calls/a%2Fb.js"]) {
    const { body, headers, statusCode } = await app.inject({ url });
    expect([statusCode, body, headers["cache-control"]]).toEqual([200, INDEX, "no-cache"]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  }
  await app.close();
});

test("a file with a hash in its name is kept for good, compressed for who takes that", async () => {
  const app = await server(readConsole(folder));
  const url = "/console/assets/main-1a2b.js";
  const zipped = await app.inject({ url, headers: { "accept-encoding": "br, gzip" } });
  expect(zipped.headers).toMatchObject({
    "content-encoding": "gzip",
    "cache-control": "public, max-age=31536000, immutable",
    "content-type": "text/javascript; charset=utf-8",
    vary: "accept-encoding",
  });
  expect(gunzipSync(zipped.rawPayload).toString()).toBe("run()");
  for (const encoding of ["", "br", "gzip;q=0"]) {
    const plain = await app.inject({ url, headers: { "accept-encoding": encoding } });
    expect([plain.body, plain.headers["content-encoding"]]).toEqual(["run()", undefined]);
  }
  await app.close();
});

test("no path leads out of the console, or to what is no file of it", async () => {
  const app = await server(readConsole(folder));
  for (const url of [
    "/console/assets/../../secret.js",
    "/console/assets/none.js",
    "/console/assets/%2e%2e/x.js",
  ])
    expect((await app.inject({ url })).body).not.toContain("run()");
  expect((await app.inject({ url: "/console/assets/none.js" })).statusCode).toBe(404);
  // The stamp is of a type that is not served: a page, as for every other path.
  expect((await app.inject({ url: "/console/stamp" })).body).toBe(INDEX);
  await app.close();
});

test("everything else asks for a token as before, and so does a change under the console's path", async () => {
  const app = await server(readConsole(folder));
  for (const request of [
    { url: "/v1/sources" },
    { url: "/consoles" },
    { url: "/console/", method: "POST" as const },
  ])
    expect((await app.inject(request)).statusCode).toBe(401);
  expect((await app.inject({ url: "/console" })).headers).toMatchObject({ location: "/console/" });
  await app.close();
});

test("where it is left out its paths are unknown; where it is not built they say how it is", async () => {
  const without = await server(undefined);
  expect((await without.inject({ url: "/console/" })).statusCode).toBe(401);
  await without.close();
  const unbuilt = await server(readConsole(join(folder, "nowhere")));
  const { body, statusCode } = await unbuilt.inject({ url: "/console/" });
  expect([statusCode, body]).toEqual([404, expect.stringContaining("npm run console:build")]);
  await unbuilt.close();
});
