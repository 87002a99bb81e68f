import { beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { withinMs } from "./within.ts";

let host: TestHost;

beforeEach(() => {
  host = new TestHost();
});

/** Whether the wait is over, as it goes on. */
function watch(waiting: Promise<void>): { isOver: boolean } {
  const seen = { isOver: false };
  void waiting.then(() => {
    seen.isOver = true;
  });
  return seen;
}

test("work is waited for, and no timer stays behind it", async () => {
  const work = Promise.withResolvers<void>();
  const seen = watch(withinMs(work.promise, 1_000, host));
  await host.advance(999);
  expect(seen.isOver).toBe(false);
  work.resolve();
  await host.advance(0);
  expect(seen.isOver).toBe(true);
  expect(host.timers).toBe(0);
});

test("work is waited for no longer than that", async () => {
  const seen = watch(withinMs(new Promise<void>(() => undefined), 1_000, host));
  await host.advance(999);
  expect(seen.isOver).toBe(false);
  await host.advance(1);
  expect(seen.isOver).toBe(true);
});
