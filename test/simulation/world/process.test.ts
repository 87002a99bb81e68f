import { describe, expect, test } from "@jest/globals";
import type { ServiceContext, ServiceDefinition } from "#runtime";
import { Random } from "#testing";
import { inRealEvent, VirtualHost, VirtualTime } from "#testing/host";
import { createDeliverer } from "../../../services/deliverer/service.ts";
import { createWebhookRouter } from "../../../services/webhook-router/service.ts";
import { LogBook } from "./log-book.ts";
import { SimulatedProcess } from "./process.ts";
import { Trace } from "./trace.ts";

const ENVIRONMENT = {
  HOOKLINE_KAFKA_BROKERS: "simulated:9092",
  HOOKLINE_SCHEMA_REGISTRY_URL: "http://simulated",
  HOOKLINE_ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString("base64")}`,
};

function world() {
  const time = new VirtualTime();
  const trace = new Trace(() => time.nowMs, 100);
  const logs = new LogBook(
    () => time.nowMs,
    ({ process, level, message }) => trace.add(process, `${level} ${message}`),
  );
  const start = (definition: ServiceDefinition<Record<never, never>>) => {
    const host = new VirtualHost({ time, random: new Random(1) });
    return SimulatedProcess.start(definition, {
      name: definition.name,
      host,
      logs,
      environment: ENVIRONMENT,
    });
  };
  return { logs, start, trace, until: (ms: number) => inRealEvent(() => time.runUntil(ms)) };
}

/** Counts the seconds that it runs. */
function counting(seconds: { count: number }): ServiceDefinition<Record<never, never>> {
  async function start({ host, lifecycle }: ServiceContext<object>): Promise<Record<string, never>> {
    await host.delay(500);
    const timer = host.setInterval(() => {
      seconds.count += 1;
    }, 1_000);
    lifecycle.onStop("counting", () => timer.clear());
    return {};
  }
  return { name: "counting", settings: {}, start };
}

describe("a simulated process", () => {
  test("runs from its start to its ordered end", async () => {
    const { start, until } = world();
    const seconds = { count: 0 };
    const process = start(counting(seconds));
    await until(499);
    expect(process.isReady).toBe(false);
    await until(2_500);
    expect(process.isReady).toBe(true);
    process.stop();
    await until(10_000);
    expect({ status: process.status, ...seconds }).toEqual({ status: 0, count: 2 });
  });

  test("does nothing more once it is killed", async () => {
    const { start, until } = world();
    const seconds = { count: 0 };
    const process = start(counting(seconds));
    await until(1_600);
    process.host.kill();
    await until(10_000);
    expect({ status: process.status, isRunning: process.isRunning, ...seconds }).toEqual({
      status: undefined,
      isRunning: false,
      count: 1,
    });
  });

  test.each([
    ["the router", (outside: never) => createWebhookRouter(outside)],
    ["the deliverer", (outside: never) => createDeliverer(outside)],
  ])("ends with status 1 and a line when %s cannot start", async (_, create) => {
    const { logs, start, until } = world();
    const createKafka = (): never => {
      throw new Error("there is no such cluster");
    };
    const process = start(create({ createKafka } as never) as never);
    await until(30_000);
    expect(process.status).toBe(1);
    expect(logs.lines).toMatchObject([{ level: "fatal", message: "service cannot go on" }]);
  });
});
