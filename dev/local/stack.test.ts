import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { environment } from "#support/environment";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { startChild } from "./child.ts";
import { startStack } from "./ladder.ts";
import { freePorts } from "./ports.ts";
import { countBrokers, registryAnswers } from "./probe.ts";
import type { Stack } from "./stack.ts";

const START_TIMEOUT_MS = 240_000;
const log = (): undefined => undefined;

describe("the addresses of the environment", () => {
  test(
    "are used when they answer",
    async () => {
      const { brokers, registryUrl } = await useStack();
      const given = { HOOKLINE_KAFKA_BROKERS: brokers.join(), HOOKLINE_SCHEMA_REGISTRY_URL: registryUrl };
      const stack = await startStack({ environment: given, log });
      expect(stack).toMatchObject({ rung: "environment", brokers, registryUrl });
      expect(() => stack.broker(0)).toThrow("not ours to stop");
      await stack.stop();
      expect(await countBrokers(brokers[0] ?? "")).toBeGreaterThan(0);
    },
    START_TIMEOUT_MS,
  );

  test("are an error, and no reason to start another Kafka, when they do not answer", async () => {
    const [port] = await freePorts(1);
    const given = {
      HOOKLINE_KAFKA_BROKERS: `127.0.0.1:${port}`,
      HOOKLINE_SCHEMA_REGISTRY_URL: "http://127.0.0.1:1",
    };
    await expect(startStack({ environment: given, log })).rejects.toThrow(
      "no Kafka broker answers at 127.0.0.1",
    );
  });

  test("are an error when only one of the two is given", async () => {
    await expect(startStack({ environment: { HOOKLINE_KAFKA_BROKERS: "a:1" }, log })).rejects.toThrow(
      "HOOKLINE_KAFKA_BROKERS is set but HOOKLINE_SCHEMA_REGISTRY_URL is not",
    );
  });
});

test("without Docker and Java one message says what to install", async () => {
  const bare = { PATH: "/bin", JAVA_HOME: "/nowhere", DOCKER_HOST: "unix:///nowhere/docker.sock" };
  await expect(startStack({ environment: bare, log })).rejects.toMatchObject({
    code: "failed",
    message: expect.stringMatching(/Java .* was not found[\s\S]*start Docker[\s\S]*install Java 17/),
  });
});

describe("a stack of one's own", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ environment, log, own: true });
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    const [address = ""] = stack.brokers;
    await stack.stop();
    expect(await countBrokers(address)).toBe(0);
  }, 180_000);

  test("answers at its addresses", async () => {
    expect(await countBrokers(stack.brokers[0] ?? "")).toBe(1);
    expect(await registryAnswers(stack.registryUrl)).toBe(true);
  });

  test("has a broker that goes and comes back at the same address", async () => {
    const [address = ""] = stack.brokers;
    for (const end of ["stop", "kill"] as const) {
      await stack.broker(0)[end]();
      expect(await countBrokers(address)).toBe(0);
      await stack.broker(0).start();
      expect(await countBrokers(address)).toBe(1);
    }
  }, 180_000);

  test(
    "runs beside another one, which ends when the process that started it is killed",
    async () => {
      const lines: string[] = [];
      const ladder = JSON.stringify(new URL("./ladder.ts", import.meta.url).href);
      const script = `import(${ladder}).then(async ({ startStack }) => {
      const { brokers, registryUrl } = await startStack({ environment: process.env, log() {}, own: true });
      console.log("stack", brokers[0], registryUrl);
      setInterval(() => {}, 1000);
    })`;
      const other = await startChild({
        command: process.execPath,
        args: ["-e", script],
        environment,
        onLine: (line) => lines.push(line),
      });
      const said = await until(
        () => lines.find((line) => line.startsWith("stack ")) ?? (other.isRunning() ? undefined : "ended"),
        {
          timeoutMs: START_TIMEOUT_MS,
          what: () => `the other stack, which said ${lines.join("\n")}`,
        },
      );
      const [, address = "", registryUrl = ""] = said.split(" ");
      expect(stack.brokers).not.toContain(address);
      await other.kill();
      await until(async () => (await countBrokers(address)) === 0 && !(await registryAnswers(registryUrl)), {
        timeoutMs: 60_000,
        what: "the other stack to end",
      });
      expect(await countBrokers(stack.brokers[0] ?? "")).toBe(1);
    },
    START_TIMEOUT_MS,
  );
});
