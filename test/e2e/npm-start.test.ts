// The first README command, run as a person does (contract 11.3).
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "@jest/globals";
import { requestJson, sendCall } from "#support/api";
import { environment } from "#support/environment";
import { linesForAnotherShell, type NpmStart, npmStart, temporaryCache, untilGone } from "#support/npm-start";
import { useStack } from "#support/stack";
import { newPrefix } from "#support/wire";

const READY_TIMEOUT_MS = 400_000;
const READY = /^Hookline is ready: ingest (\S+), control (\S+)$/;

let started: NpmStart | undefined;

afterEach(async () => {
  if (started !== undefined && (await started.processes()).size > 0) started.kill();
  started = undefined;
});

/** Kills one service's process as a crash would. */
async function killService(npm: NpmStart, name: string): Promise<void> {
  const program = `services/${name}/main.ts`;
  for (const [pid, line] of await npm.processes()) {
    if (line.includes(program) && !line.includes("warden")) process.kill(pid, "SIGKILL");
  }
}

/** What a command answers in another shell that was given what `npm start` printed for one. */
async function inSecondShell(npm: NpmStart, command: string): Promise<string> {
  const given = await linesForAnotherShell(npm);
  const options = { env: { PATH: environment["PATH"], HOME: environment["HOME"] } };
  return (await promisify(execFile)("sh", ["-c", [...given, command].join("\n")], options)).stdout;
}

describe("npm start", () => {
  test(
    "brings everything up, shows the demo's calls and whatever comes after, revives a service, and ends on Ctrl-C",
    async () => {
      const cache = await temporaryCache();
      const npm = npmStart({ HOOKLINE_CACHE_DIR: cache });
      started = npm;
      const [, ingestUrl = "", controlUrl = ""] = await npm.untilLine(READY, READY_TIMEOUT_MS);
      for (const type of ["identify", "track", "page", "group"]) {
        await npm.untilLine(new RegExp(`^  ${type} .* signature ok  \\d+ ms$`), 60_000);
      }
      expect(npm.lines.join("\n")).toMatch(/loopback addresses[\s\S]*development key/);

      const [, writeKey = ""] = await npm.untilLine(/^ {2}curl \S+ -u '([^:]+):' /, 60_000);
      expect((await requestJson(`${controlUrl}/v1/sources`)).status).toBe(200);
      const shown = JSON.parse(await inSecondShell(npm, 'hookline destinations show "$DESTINATION" --json'));
      expect(shown).toMatchObject({ name: "Demo destination" });
      const { findings } = JSON.parse(await inSecondShell(npm, "hookline doctor --json"));
      expect(findings.filter(({ state }: { state: string }) => state !== "ok")).toEqual([]);
      const send = (event: string) =>
        sendCall(ingestUrl, { route: "track", writeKey, body: { userId: "grace", event } });
      expect((await send("By Hand")).status).toBe(200);
      await npm.untilLine(/By Hand .* signature ok/, 60_000);

      await killService(npm, "deliverer");
      await npm.untilLine(/^deliverer ended with 137; starting it again in 0.5 s$/, 60_000);
      await npm.untilLine(/^deliverer is ready again$/, 60_000);
      expect((await send("After The Crash")).status).toBe(200);
      await npm.untilLine(/After The Crash .* signature ok/, 60_000);

      await npm.untilLine(/^ {2}identify ordered_lately: true +lin .* signature ok/, 90_000);
      await npm.untilLine(/^ {2}identify ordered_lately: false +lin .* signature ok/, 60_000);

      npm.pressCtrlC();
      await npm.exitCode();
      expect(npm.lines.slice(-2)).toEqual(["Stopping ...", "Stopped."]);
      await untilGone(npm);
      await rm(cache, { recursive: true });
    },
    READY_TIMEOUT_MS + 120_000,
  );

  test(
    "without the demo, on a Kafka of the environment, makes nothing but the product; nothing outlives npm",
    async () => {
      const { brokers, registryUrl } = await useStack();
      const cache = await mkdtemp(join(tmpdir(), "hookline-cache-"));
      const runFolders = (): Promise<string[]> => readdir(join(cache, "runs"));
      const npm = npmStart({
        HOOKLINE_DEMO: "0",
        HOOKLINE_KAFKA_BROKERS: brokers.join(),
        HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl,
        HOOKLINE_TOPIC_PREFIX: newPrefix(),
        HOOKLINE_PARTITIONS: "2",
        HOOKLINE_CACHE_DIR: cache,
      });
      started = npm;
      const [, , controlUrl = ""] = await npm.untilLine(READY, READY_TIMEOUT_MS);
      expect((await requestJson<{ data: unknown[] }>(`${controlUrl}/v1/sources`)).body.data).toEqual([]);
      expect(npm.lines.join("\n")).not.toMatch(/demo|curl/i);
      expect(await runFolders()).toHaveLength(1);
      await npm.signal("npm", "SIGTERM");
      await npm.exitCode();
      expect(npm.lines.slice(-2)).toEqual(["Stopping ...", "Stopped."]);
      await untilGone(npm);
      expect(await runFolders()).toEqual([]);
      await rm(cache, { recursive: true });
    },
    READY_TIMEOUT_MS + 60_000,
  );

  test("says which port is taken and how to move it, before it starts anything", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, () => resolve()));
    const { port } = holder.address() as { port: number };
    const npm = npmStart({ HOOKLINE_INGEST_PORT: String(port) });
    started = npm;
    expect(await npm.exitCode()).not.toBe(0);
    expect(npm.lines).toContain(
      `npm start failed: Port ${port} (ingest) is in use: end what uses it, or choose another with HOOKLINE_INGEST_PORT.`,
    );
    expect(npm.lines.join("\n")).not.toContain("Bringing up Kafka");
    await untilGone(npm);
    holder.close();
  });

  test("names every wrong setting of every service, and names that nothing reads, before it starts anything", async () => {
    const npm = npmStart({
      HOOKLINE_ENCRYPTION_KEYS: "k1:x",
      HOOKLINE_DEDUPE_WINDOW: "soon",
      HOOKLINE_INGEST_PROT: "1",
    });
    started = npm;
    expect(await npm.exitCode()).not.toBe(0);
    const printed = npm.lines.join("\n");
    expect(printed).toContain(
      "WARN HOOKLINE_INGEST_PROT is not a setting; did you mean HOOKLINE_INGEST_PORT?",
    );
    expect(printed).toMatch(/cannot start: 2 settings are wrong\n {2}HOOKLINE_[\s\S]*make one: echo/);
    expect(printed).not.toContain("Bringing up Kafka");
    await untilGone(npm);
  });

  test("says in one message what is wrong with the environment's addresses", async () => {
    const npm = npmStart({ HOOKLINE_KAFKA_BROKERS: "127.0.0.1:9" });
    started = npm;
    expect(await npm.exitCode()).not.toBe(0);
    expect(npm.lines.filter((line) => line.startsWith("npm start failed: "))).toEqual([
      "npm start failed: HOOKLINE_KAFKA_BROKERS is set but HOOKLINE_SCHEMA_REGISTRY_URL is not: give both, or none",
    ]);
    await untilGone(npm);
  });
});
