import { expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { createKafkaWatch } from "./kafka-watch.ts";

test("a failed write stops no other call where a later one is stored, and all where none is", async () => {
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
  const [first, , third] = [watch.begin(), await host.advance(10), watch.begin()];
  expect(watch.sinceStoredMs()).toBe(Number.POSITIVE_INFINITY);
  watch.stored(third);
  await host.advance(3_990);
  watch.failed(new Error("a partition without leader"), first);
  expect([watch.problem, watch.sinceStoredMs()]).toEqual([undefined, 3_990]);
  expect(watch.sinceTriedMs()).toBe(3_990);
  const last = watch.begin();
  expect(watch.sinceTriedMs()).toBe(0);
  watch.stored(first);
  expect(watch.sinceStoredMs()).toBe(3_990);
  watch.failed(new Error("no partition takes writes"), last);
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
