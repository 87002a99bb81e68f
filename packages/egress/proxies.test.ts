// Proxies in the environment are for other programs: they would connect to what the guard never saw (contract 6.1).
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { createCertificate } from "#support/certificates";
import { emptyResponse, type RawServer, startRawServer } from "#support/raw-server";

const PROGRAM = join(import.meta.dirname, "fixtures/post-process.ts");
const run = promisify(execFile);

// A process of node starts in seconds on a busy machine.
jest.setTimeout(180_000);

let proxy: RawServer;
let endpoint: RawServer;
const secure = createTlsServer(createCertificate({ commonName: "127.0.0.1", hosts: ["127.0.0.1"] }));

beforeAll(async () => {
  secure.listen(0, "127.0.0.1");
  await once(secure, "listening");
});
afterAll(() => {
  secure.close();
});

beforeEach(async () => {
  proxy = await startRawServer((socket) => socket.end(emptyResponse(418, "Connection: close")));
  endpoint = await startRawServer((socket) => socket.end(emptyResponse(200, "Connection: close")));
});
afterEach(async () => {
  await proxy.close();
  await endpoint.close();
});

/** The child's environment: the proxy under every name that a program may look for. */
function environment(): NodeJS.ProcessEnv {
  const url = `http://127.0.0.1:${proxy.port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "GLOBAL_AGENT_HTTP_PROXY", "npm_config_proxy"];
  const entries = names.flatMap((name) => [
    [name, url],
    [name.toLowerCase(), url],
  ]);
  const own = { NODE_USE_ENV_PROXY: "1", NODE_OPTIONS: "--use-env-proxy", NO_PROXY: "", no_proxy: "" };
  return { ...Object.fromEntries(entries), ...own };
}

async function post(way: "egress" | "fetch", url: string): Promise<string> {
  const { stdout } = await run(process.execPath, [PROGRAM, way, url], { env: environment() });
  return stdout;
}

test("no proxy of the environment is asked: http goes straight to the endpoint", async () => {
  expect(await post("egress", `http://127.0.0.1:${endpoint.port}/`)).toBe("200");
  expect(proxy.received).toEqual([]);
  expect(endpoint.received).toHaveLength(1);
});

test("no proxy of the environment is asked for https either", async () => {
  // It failed at the endpoint's own certificate, so it was there.
  const { port } = secure.address() as AddressInfo;
  expect(await post("egress", `https://127.0.0.1:${port}/`)).toBe("self_signed");
  expect(proxy.received).toEqual([]);
});

test("no proxy of the environment gets around the guard", async () => {
  expect(await post("egress", "http://169.254.169.254/")).toBe("blocked_address");
  expect(await post("egress", "http://10.0.0.1/")).toBe("blocked_address");
  expect(proxy.received).toEqual([]);
});

test("the same environment does lead fetch to the proxy", async () => {
  await post("fetch", `http://127.0.0.1:${endpoint.port}/`);
  expect(proxy.received).toHaveLength(1);
  expect(endpoint.received).toEqual([]);
});
