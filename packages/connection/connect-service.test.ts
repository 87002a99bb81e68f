import { expect, test } from "@jest/globals";
import { createMetrics } from "#runtime";
import type { Ways } from "./connect.ts";
import { connectService } from "./connect-service.ts";

test("a table that will never follow again ends the process of a service", async () => {
  const failed = Promise.withResolvers<never>();
  const ways = {
    createKafka: () => ({ table: () => ({ failed: failed.promise }) }),
    createSerde: () => ({}),
  };
  const failures: unknown[] = [];
  const context = {
    settings: { registry: {}, topics: { prefix: "", retryDelaysMs: [] } },
    logger: { child: () => undefined },
    lifecycle: { onStop: () => undefined, fail: (error: unknown) => failures.push(error) },
    metrics: createMetrics({ service: "test", version: "1" }),
  };
  const { kafka, topics } = connectService(context as never, () => [], ways as unknown as Ways);
  kafka.table({ topic: topics.suppressions.name, decode: () => true });
  failed.reject(new Error("not authorized"));
  await new Promise(setImmediate);
  expect(failures).toEqual([new Error("not authorized")]);
});
