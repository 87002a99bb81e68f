import { expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { createKafkaWatch } from "./kafka-watch.ts";

test("a failed write stops no other call while calls are stored, and all once none is", async () => {
  const host = new TestHost();
  let canAnswer = true;
  const logged: string[] = [];
  const log = (_fields: object, message: string) => void logged.push(message);
  const stop = new AbortController();
  const watch = createKafkaWatch({
    ask: () => (canAnswer ? Promise.resolve() : Promise.reject(new Error("away"))),
    ...{ host, intervalMs: 1_000, logger: { info: log, warn: log } as never, stopping: stop.signal },
  });
  const running = watch.run();
  watch.stored();
  await host.advance(1_900);
  watch.failed(new Error("a partition without leader"));
  expect(watch.problem).toBeUndefined();
  await host.advance(200);
  watch.failed(new Error("no partition takes writes"));
  expect(watch.problem).toBe("no partition takes writes");
  await host.advance(1_000);
  expect(watch.problem).toBeUndefined();
  canAnswer = false;
  await host.advance(1_000);
  expect(watch.problem).toBe("away");
  expect(logged).toHaveLength(3);
  stop.abort();
  await running;
});
