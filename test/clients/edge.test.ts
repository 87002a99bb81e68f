// The TypeScript client in workerd, an edge runtime, against the real ingest (only Kafka is missing).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { clientTool, installClientTools } from "#support/client-tools";
import { environment } from "#support/environment";
import { type ClientProject, createClientProject } from "#support/packed-client";
import { until } from "#support/until";
import { type IngestFixture, startFixture, WRITE_KEY } from "../../services/ingest/fixtures/http.ts";
import { EACH_TYPE, sendEachType } from "./calls.ts";

// The first run installs the runtime.
jest.setTimeout(300_000);

const WORKER = `
import { Hookline } from "./dist/index.js";
export default {
  async fetch(request, environment, context) {
    const { searchParams } = new URL(request.url);
    const client = new Hookline(searchParams.get("key"), {
      endpoint: searchParams.get("endpoint"),
      gzip: searchParams.has("gzip"),
    });
    const accepted = ${sendEachType("client")};
    context.waitUntil(client.flush());
    return Response.json(accepted.map(({ ok }) => ok));
  },
};
`;

/** A configuration with the package's modules; the worker may reach this machine alone. */
function configuration(modules: readonly string[]): string {
  const embedded = ["worker.js", ...modules].map((name) => `(name = "${name}", esModule = embed "${name}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${embedded.join(", ")}],
      compatibilityDate = "2026-01-01",
      globalOutbound = "machine",
    )),
    (name = "machine", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}

let project: ClientProject;
let ingest: IngestFixture;
beforeAll(async () => {
  await installClientTools();
  project = createClientProject();
  ingest = await startFixture();
});
afterAll(async () => {
  await ingest?.close();
  project?.remove();
});

test("every call type arrives from workerd, after its worker has answered", async () => {
  const modules = readdirSync(join(project.packed, "dist")).filter((name) => name.endsWith(".js"));
  writeFileSync(join(project.packed, "worker.js"), WORKER);
  writeFileSync(join(project.packed, "config.capnp"), configuration(modules.map((name) => `dist/${name}`)));
  const program = clientTool(
    `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : "arm64"}/bin/workerd`,
  );
  const workerd = spawn(program, ["serve", "config.capnp", "--control-fd=3"], {
    cwd: project.packed,
    env: environment,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const ended = once(workerd, "exit");
  try {
    const [line] = await once(createInterface(workerd.stdio[3] as Readable), "line");
    const { port } = JSON.parse(String(line)) as { port: number };
    for (const gzip of ["", "&gzip"]) {
      ingest.stored.length = 0;
      const query = `key=${WRITE_KEY}&endpoint=${encodeURIComponent(ingest.url)}${gzip}`;
      const answer = await fetch(`http://127.0.0.1:${port}/?${query}`);
      expect(await answer.json()).toEqual(EACH_TYPE.map(() => true));
      const isThere = () => ingest.stored.length >= EACH_TYPE.length;
      await until(isThere, { timeoutMs: 60_000, what: "every call" });
      expect(ingest.stored.map(({ type }) => type).sort()).toEqual(EACH_TYPE);
    }
  } finally {
    workerd.kill();
    await ended;
  }
});
