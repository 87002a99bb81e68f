import { beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "./errors.ts";
import { Shutdown } from "./shutdown.ts";

const closed = new KafkaError("closed", "closed", { canRetry: false });
const aborted = new KafkaError("aborted", "aborted", { canRetry: false });

let host: TestHost;
let shutdown: Shutdown;

beforeEach(() => {
  host = new TestHost();
  shutdown = new Shutdown(host);
});

test("what is done before the end is as it would be without it", async () => {
  expect(await shutdown.or(Promise.resolve("done"))).toBe("done");
  await expect(shutdown.or(Promise.reject(aborted))).rejects.toBe(aborted);
  expect(shutdown.why).toBeUndefined();
});

test("the end rejects all that waits, and all that comes later, for the first reason", async () => {
  const never = new Promise<string>(() => undefined);
  const waiting = [shutdown.or(never), shutdown.or(never), shutdown.pause(1)];
  shutdown.end(closed);
  shutdown.end(aborted);
  expect(shutdown.why).toBe(closed);
  const all = [...waiting, shutdown.or(never), shutdown.or(Promise.resolve("late"))];
  const reasons = await Promise.all(all.map((one) => one.catch((error: unknown) => error)));
  expect(reasons).toEqual(all.map(() => closed));
});

test("work that fails when nobody waits for it any more harms nobody", async () => {
  const work = Promise.withResolvers<never>();
  const waiting = shutdown.or(work.promise).catch((error: unknown) => error);
  shutdown.end(closed);
  work.reject(aborted);
  expect(await waiting).toBe(closed);
});

test("a pause is over when its time is over, and leaves no timer when it ends before", async () => {
  let isOver = false;
  const pause = shutdown.pause(1_000).then(() => {
    isOver = true;
  });
  await host.advance(999);
  expect(isOver).toBe(false);
  await host.advance(1);
  expect(isOver).toBe(true);
  await pause;
  const ended = shutdown.pause(1_000).catch((error: unknown) => error);
  expect(host.timers).toBe(1);
  shutdown.end(closed);
  expect(await ended).toBe(closed);
  expect(host.timers).toBe(0);
});
