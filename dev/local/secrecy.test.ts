// Tests what reaches the programs that are started, the terminal, and other users of this machine.

import { once } from "node:events";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { scratchFolder } from "#support/scratch-folder";
import { startOnJvm } from "./jvm-rung.ts";
import { startStack } from "./ladder.ts";
import { registryAnswers } from "./probe.ts";
import { makeRunFolder } from "./run-folder.ts";

let folder: string;

beforeAll(async () => {
  folder = scratchFolder();
});

test("a JVM gets what Java reads and none of our variables", async () => {
  const bin = join(folder, "java", "bin");
  await mkdir(bin, { recursive: true });
  // It tells its environment and is no Java, which ends the attempt.
  await writeFile(join(bin, "java"), `#!/bin/sh\nenv > ${folder}/seen\nexit 1\n`);
  await chmod(join(bin, "java"), 0o755);
  const environment = {
    PATH: "/usr/bin:/bin",
    JAVA_HOME: join(folder, "java"),
    JAVA_TOOL_OPTIONS: "-Dx=y",
    HOOKLINE_ENCRYPTION_KEYS: "k:v",
    HOOKLINE_KAFKA_SASL_PASSWORD: "p",
    SOMEBODYS_TOKEN: "t",
  };
  const starting = startOnJvm({ environment, log: () => undefined }, folder);
  await expect(starting).rejects.toThrow("was not found");
  const seen = await readFile(join(folder, "seen"), "utf8");
  const names = seen.split("\n").map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "JAVA_HOME", "JAVA_TOOL_OPTIONS"]));
  expect(names.filter((name) => /HOOKLINE|TOKEN/.test(name ?? ""))).toEqual([]);
});

test("the folder of a run, and the one around it, are this user's alone", async () => {
  const cache = join(folder, "cache");
  const run = await makeRunFolder(cache);
  for (const path of [cache, join(cache, "runs"), run]) expect((await stat(path)).mode & 0o777).toBe(0o700);
});

describe("the registry's password", () => {
  test("is in no message about a registry that does not answer", async () => {
    const broker = createServer().listen(0, "127.0.0.1");
    await once(broker, "listening");
    const { port } = broker.address() as AddressInfo;
    const given = {
      HOOKLINE_KAFKA_TLS: "true",
      HOOKLINE_KAFKA_BROKERS: `127.0.0.1:${port}`,
      HOOKLINE_SCHEMA_REGISTRY_URL: "http://user:s3cr3t@127.0.0.1:1/apis",
    };
    const said: string[] = [];
    const failure = await startStack({ environment: given, log: (line) => said.push(line) }).catch(String);
    broker.closeAllConnections();
    broker.close();
    expect(failure).toContain("no schema registry answers at http://***@127.0.0.1:1/apis");
    expect([failure, ...said].join()).not.toContain("s3cr3t");
  });

  test("is in no line about one that answers, which it opens", async () => {
    const asked: (string | undefined)[] = [];
    const registry = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end("[]");
    }).listen(0, "127.0.0.1");
    await once(registry, "listening");
    const { port } = registry.address() as AddressInfo;
    const url = `http://user:s%403cr3t@127.0.0.1:${port}`;
    const given = {
      HOOKLINE_KAFKA_TLS: "true",
      HOOKLINE_KAFKA_BROKERS: `127.0.0.1:${port}`,
      HOOKLINE_SCHEMA_REGISTRY_URL: url,
    };
    const said: string[] = [];
    await startStack({ environment: given, log: (line) => said.push(line) });
    expect(await registryAnswers(url)).toBe(true);
    registry.close();
    expect(asked).toContain(`Basic ${Buffer.from("user:s@3cr3t").toString("base64")}`);
    expect(said.join()).toContain(`http://***@127.0.0.1:${port}`);
    expect(said.join()).not.toContain("cr3t");
  });
});
