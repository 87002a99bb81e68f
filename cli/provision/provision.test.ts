import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { RETRY_DELAYS_MS } from "#contract";
import { createKafka } from "#kafka";
import { startRegistryProxy } from "#support/registry-proxy";
import { type TestStack, useStack } from "#support/stack";
import { until } from "#support/until";
import { allTopics, topicMap } from "#topics";
import { runProvision } from "./run.ts";

const run = promisify(execFile);
const MAIN = join(import.meta.dirname, "main.ts");

let stack: TestStack;

const STACK_STARTS_WITHIN_MS = 300_000;

beforeAll(async () => {
  stack = await useStack();
}, STACK_STARTS_WITHIN_MS);

function environment(more: Record<string, string> = {}): Record<string, string> {
  return {
    HOOKLINE_KAFKA_BROKERS: stack.brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: stack.registryUrl,
    HOOKLINE_TOPIC_PREFIX: `t${randomBytes(6).toString("hex")}-`,
    HOOKLINE_PARTITIONS: "2",
    ...more,
  };
}

/** Runs the process to its end. */
async function provisionProcess(env: Record<string, string>) {
  return await run(process.execPath, [MAIN], { env }).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      status: code,
      stdout,
      stderr,
    }),
  );
}

function settings(prefix: string, more: { registryUrl?: string; brokers?: readonly string[] } = {}) {
  return {
    kafka: { brokers: more.brokers ?? stack.brokers, tls: false, clientId: "test" },
    registry: { registryUrl: more.registryUrl ?? stack.registryUrl },
    topics: { prefix, retryDelaysMs: [1_000] },
    creation: { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 },
    provisioning: { deadlineMs: 10_000, profileEventsKeptMs: 3_600_000, raiseRetention: false },
  };
}

/** The number of topics with the default's retry delays; each topic has its subject in the registry. */
const TOPICS = allTopics(topicMap({ prefix: "", retryDelaysMs: RETRY_DELAYS_MS })).length;

describe("provisioning as a process", () => {
  test("the first run creates every topic and schema, the second changes nothing, both end with 0", async () => {
    const env = environment();
    const first = await provisionProcess(env);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain(`topics: ${TOPICS} created`);
    expect(first.stdout).toContain(`+ ${env["HOOKLINE_TOPIC_PREFIX"]}delivery-retry-30m`);
    expect(first.stdout).toContain(`schemas: ${TOPICS} registered, 0 unchanged`);
    const second = await provisionProcess(env);
    expect(second).toMatchObject({ status: 0, stderr: "" });
    expect(second.stdout).toContain("topics: 0 created");
    expect(second.stdout).toContain(`schemas: 0 registered, ${TOPICS} unchanged`);
  });

  test("a topic that differs is reported and left as it is", async () => {
    const env = environment();
    await provisionProcess(env);
    const again = await provisionProcess({ ...env, HOOKLINE_PARTITIONS: "3" });
    expect(again.status).toBe(0);
    expect(again.stdout).toMatch(
      /! \S+calls: partitions is 2, not 3 \(left as it is, services work with it\)/,
    );
  });

  test("a retention that is too short is reported, and raised only where the operator says so", async () => {
    const env = environment();
    const prefix = env["HOOKLINE_TOPIC_PREFIX"] ?? "";
    const kafka = createKafka(settings(prefix).kafka);
    try {
      const name = `${prefix}delivery-jobs`;
      const spec = { name, cleanup: { policy: "delete", retentionMs: 3_600_000 } } as const;
      const creation = { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 };
      await kafka.admin().ensureTopics([spec], creation);
      const reported = await provisionProcess(env);
      expect(reported.status).toBe(1);
      expect(reported.stdout).toMatch(/! \S+delivery-jobs: retention.ms is 3600000, not \d+ \(WRONG, /);
      const raised = await provisionProcess({ ...env, HOOKLINE_PROVISION_RAISE_RETENTION: "true" });
      expect(raised).toMatchObject({ status: 0, stderr: "" });
      expect(raised.stdout).toMatch(/\^ \S+delivery-jobs: retention.ms raised from 3600000 to \d+/);
      const differing = async () => (await kafka.admin().ensureTopics([spec], creation)).differing;
      const isRaised = async () => (await differing()).some(({ found }) => Number(found) > 3_600_000);
      await until(isRaised, { timeoutMs: 60_000, what: "the longer retention" });
    } finally {
      await kafka.close();
    }
  });

  test("without Kafka it says what it waits for, and ends with 1 at the deadline", async () => {
    const env = environment({ HOOKLINE_KAFKA_BROKERS: "127.0.0.1:9", HOOKLINE_PROVISION_DEADLINE: "6s" });
    const { status, stdout, stderr } = await provisionProcess(env);
    expect(status).toBe(1);
    expect(stdout).toContain("waiting for Kafka");
    expect(stderr).toContain("provision: failed:");
  });

  test("wrong settings are all named at once", async () => {
    const { status, stderr } = await provisionProcess({ HOOKLINE_PARTITIONS: "many" });
    expect(status).toBe(1);
    expect(stderr).toContain("HOOKLINE_KAFKA_BROKERS");
    expect(stderr).toContain("HOOKLINE_SCHEMA_REGISTRY_URL");
    expect(stderr).toContain("HOOKLINE_PARTITIONS");
  });
});

describe("provisioning", () => {
  test("the topics have the map's partitions and cleanup", async () => {
    const prefix = `t${randomBytes(6).toString("hex")}-`;
    const provisioned = await runProvision(settings(prefix), () => undefined);
    const topics = allTopics(topicMap({ prefix, retryDelaysMs: [1_000] }));
    expect([...provisioned.created].sort()).toEqual(topics.map(({ name }) => name).sort());
    const kafka = createKafka(settings(prefix).kafka);
    try {
      expect(await kafka.admin().partitionCount(`${prefix}source-config`)).toBe(2);
    } finally {
      await kafka.close();
    }
  });

  test("it waits while the registry is away, and goes on when it is back", async () => {
    const registry = await startRegistryProxy(stack.registryUrl, "/");
    registry.answer = "refuse";
    const heard: string[] = [];
    const provisioned = await runProvision(
      settings(`t${randomBytes(6).toString("hex")}-`, { registryUrl: registry.url }),
      (line) => {
        heard.push(line);
        if (heard.length === 2) registry.answer = "pass";
      },
    );
    await registry.close();
    expect(heard).toHaveLength(2);
    expect(heard[0]).toContain("waiting for the schema registry");
    expect(provisioned.subjects.every(({ added }) => added)).toBe(true);
  });
});
