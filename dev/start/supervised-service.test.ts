import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { superviseService } from "./supervised-service.ts";

let folder: string;

beforeAll(async () => {
  folder = scratchFolder();
});

/** A program that counts its lives in a file, for a supervisor to stay with. */
async function program(name: string, life: string): Promise<string> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(
    file,
    `import { appendFileSync, readFileSync } from "node:fs";
     appendFileSync("${folder}/${name}.lives", "x");
     const life = readFileSync("${folder}/${name}.lives", "utf8").length;
     const log = (fields) => console.log(JSON.stringify(fields));
     ${life}`,
  );
  return file;
}

async function supervise(
  name: string,
  life: string,
  more: { say?(line: string): void; sayEveryMs?: number; readyTimeoutMs?: number } = {},
) {
  const file = await program(name, life);
  return superviseService({
    name,
    program: file,
    environment,
    logFolder: folder,
    say: () => undefined,
    ...more,
  });
}

test("a service that dies after it was ready is started again, and it is said", async () => {
  const said: string[] = [];
  const service = await supervise(
    "phoenix",
    `log({ level: "info", msg: "ready", metricsPort: life });
     if (life === 1) setTimeout(() => process.exit(9), 50);
     else setInterval(() => {}, 1000);`,
    { say: (line) => void said.push(line) },
  );
  expect(service.ports).toEqual({ metricsPort: 1 });
  await until(() => said.includes("phoenix is ready again"), { timeoutMs: 60_000, what: () => said.join() });
  expect(said[0]).toBe("phoenix ended with 9; starting it again in 0.5 s");
  await service.stop();
  expect((await readFile(join(folder, "phoenix.log"), "utf8")).match(/ready/g)).toHaveLength(2);
  expect((await stat(join(folder, "phoenix.log"))).mode & 0o777).toBe(0o600);
});

test("a service that ends before it is ready fails the start with its last words", async () => {
  const starting = supervise(
    "stillborn",
    `log({ level: "fatal", msg: "service cannot go on", err: { message: "port taken" } }); process.exitCode = 1;`,
  );
  await expect(starting).rejects.toThrow(
    "stillborn ended with 1 before it was ready: FATAL service cannot go on: port taken",
  );
  expect(await readFile(join(folder, "stillborn.lives"), "utf8")).toBe("x");
});

test("a service that takes long to be ready is said to, with what it waits for", async () => {
  const said: string[] = [];
  const service = await supervise(
    "slow",
    `log({ level: "warn", msg: "no Kafka yet" });
     setTimeout(() => log({ level: "info", msg: "ready" }), 5000);
     setInterval(() => {}, 1000);`,
    { say: (line) => void said.push(line), sayEveryMs: 500 },
  );
  await service.stop();
  expect(said).toContain("slow is still starting: WARN no Kafka yet");
});

test("a service that is started again and does not become ready in time is ended, and started once more", async () => {
  const said: string[] = [];
  const service = await supervise(
    "hanging",
    `if (life !== 2) log({ level: "info", msg: "ready", metricsPort: life });
     else log({ level: "warn", msg: "no Kafka yet" });
     if (life === 1) setTimeout(() => process.exit(9), 50);
     else setInterval(() => {}, 1000);`,
    { say: (line) => void said.push(line), readyTimeoutMs: 8_000 },
  );
  await until(() => said.includes("hanging is ready again"), { timeoutMs: 60_000, what: () => said.join() });
  expect(said).toEqual([
    "hanging ended with 9; starting it again in 0.5 s",
    "hanging was not ready within 8 s: WARN no Kafka yet",
    "hanging ended with 137; starting it again in 1 s",
    "hanging is ready again",
  ]);
  await service.stop();
});

test("a service that is stopped stays stopped", async () => {
  const said: string[] = [];
  const service = await supervise(
    "obedient",
    `log({ level: "info", msg: "ready" }); setInterval(() => {}, 1000);`,
    { say: (line) => void said.push(line) },
  );
  await service.stop();
  expect(said).toEqual([]);
  expect(await readFile(join(folder, "obedient.lives"), "utf8")).toBe("x");
});
