// The image without an engine: what its build is told, and that what it copies is all that services need. On an engine it is built by .ci/run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, matchesGlob } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { portsOf, SERVICE_NAMES } from "#contract";
import { environment } from "#support/environment";
import { startLocalServer } from "#support/local-server";
import { scratchFolder } from "#support/scratch-folder";
import { withoutDigest } from "../release/images.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Instructions by name, continued lines joined. */
async function instructions(): Promise<Map<string, string[]>> {
  const lines = (await readFile(join(ROOT, "Dockerfile"), "utf8")).replaceAll(/\\\n/g, " ").split("\n");
  const found = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, rest = ""] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), rest]);
  }
  return found;
}

/** Copies what .dockerignore lets through. */
async function copyContext(target: string): Promise<void> {
  const rules = (await readFile(join(ROOT, ".dockerignore"), "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const kept = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
  const dropped = rules.filter((rule) => rule !== "*" && !rule.startsWith("!"));
  for (const path of kept) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(ROOT, path), join(target, path), {
      recursive: true,
      filter: (source) => !dropped.some((rule) => matchesGlob(source.slice(ROOT.length + 1), rule)),
    });
  }
}

describe("the Dockerfile", () => {
  test("makes an image that runs as nobody, needs no shell and ends in order", async () => {
    const found = await instructions();
    expect(found.get("USER")).toEqual(["10001:10001"]);
    expect(found.get("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(found.get("ENTRYPOINT")?.[0]).toMatch(
      /^\["\/usr\/local\/bin\/node", "\/app\/bin\/hookline\.mjs"\]$/,
    );
    expect(found.get("HEALTHCHECK")?.[0]).toContain('CMD ["/usr/local/bin/node", "/app/bin/health.mjs"]');
    expect(found.get("VOLUME")).toEqual(["/data"]);
    const ports = SERVICE_NAMES.flatMap(portsOf).toSorted((a, b) => a - b);
    expect(found.get("EXPOSE")).toEqual([ports.join(" ")]);
  });

  test("installs what package-lock.json says, and nothing that only development needs", async () => {
    const runs = (await instructions()).get("RUN") ?? [];
    expect(runs[0]).toMatch(/^npm ci --omit=dev /);
    // Of the stage that builds the console only what is built goes on.
    expect((await instructions()).get("COPY")).toContain(
      "--from=console /app/console/dist /app/console/dist",
    );
    expect(runs.join()).not.toMatch(/npm (install|update)|apt-get|curl|wget/);
    expect((await instructions()).get("ADD")).toBeUndefined();
  });

  test("names bases with a version, which a build may replace", async () => {
    const found = await instructions();
    expect(found.get("ARG")?.slice(0, 2).map(withoutDigest)).toEqual([
      "BUILD_IMAGE=node:24-bookworm-slim",
      "RUNTIME_IMAGE=gcr.io/distroless/cc-debian12",
    ]);
    expect(found.get("FROM")).toEqual([
      `\${BUILD_IMAGE} AS build`,
      `\${BUILD_IMAGE} AS console`,
      `\${RUNTIME_IMAGE}`,
    ]);
  });
});

describe("what the image holds", () => {
  let image: string;

  beforeAll(async () => {
    image = scratchFolder();
    await copyContext(image);
    await symlink(join(ROOT, "node_modules"), join(image, "node_modules"));
  });

  async function run(
    args: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; out: string }> {
    const bare = Object.entries(environment).filter(([name]) => !name.startsWith("HOOKLINE_"));
    const child = spawn(process.execPath, args, {
      cwd: image,
      env: { ...Object.fromEntries(bare), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, said, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { code, out: out + said };
  }

  test("is enough for every service, and for every command", async () => {
    const services = SERVICE_NAMES.map((name) => `services/${name}/service.ts`);
    const loadedLate = [
      "cli/backup/index.ts",
      "cli/provision/index.ts",
      "cli/deployment.ts",
      "cli/program.ts",
    ];
    const loads = [...services, ...loadedLate].map((file) => `await import("./${file}");`).join("");
    const all = `${loads} console.log("all loaded"); process.exit();`;
    expect(await run(["--input-type=module", "--eval", all])).toEqual({ code: 0, out: "all loaded\n" });
    expect(await run(["bin/hookline.mjs", "ingest"])).toEqual({
      code: 1,
      out: expect.stringContaining("HOOKLINE_KAFKA_BROKERS is required"),
    });
  }, 180_000);

  test("says whether its service is ready", async () => {
    expect(await run(["bin/health.mjs", "deliverer"])).toEqual({ code: 1, out: "nothing listens" });

    let status = 200;
    const { close, port } = await startLocalServer((_, response) =>
      response.writeHead(status).end(`${status}`),
    );
    const services = { ingest: { metricsPort: port }, control: { metricsPort: 1 } };
    await writeFile(
      join(image, "packages/contract/services.ts"),
      `export const SERVICES = ${JSON.stringify(services)};`,
    );
    try {
      expect(await run(["bin/health.mjs"])).toEqual({ code: 0, out: "200" });
      expect(await run(["bin/health.mjs", "control"])).toEqual({ code: 1, out: "nothing listens" });
      const own = { HOOKLINE_METRICS_PORT: `${port}`, HOOKLINE_METRICS_HOST: "127.0.0.1" };
      expect(await run(["bin/health.mjs", "control"], own)).toEqual({ code: 0, out: "200" });
      status = 503;
      expect(await run(["bin/health.mjs"])).toEqual({ code: 1, out: "503" });
    } finally {
      await close();
    }
  }, 180_000);
});
