import { afterEach, expect, test } from "@jest/globals";
import type { Stack } from "#stack";
import { type StackServer, startStackServer } from "./stack-server.ts";
import { takeStack } from "./turn.ts";
import { until } from "./until.ts";

let server: StackServer;

afterEach(() => server.stop());

/** A server of stacks that only say what is done to them. */
async function serverOf({ failing = false } = {}): Promise<string[]> {
  const done: string[] = [];
  const start = async (brokers: number): Promise<Stack> => {
    done.push(`start of ${brokers}`);
    const say = (what: string) => async () => {
      done.push(what);
      if (failing && what.startsWith("start")) throw new Error("it does not come back");
    };
    return {
      rung: "jvm",
      brokers: [`127.0.0.1:${brokers}`],
      registryUrl: "http://127.0.0.1:1",
      detours: [],
      broker: (index) => ({
        stop: say(`stop ${index}`),
        kill: say(`kill ${index}`),
        start: say(`start ${index}`),
      }),
      stop: say(`stop of ${brokers}`),
    };
  };
  server = await startStackServer({ startShared: () => start(0), startOutage: start });
  return done;
}

test("a suite gets the stack when the one before it has ended, and the same one", async () => {
  const done = await serverOf();
  const first = await takeStack({ brokers: 1, url: server.url });
  let hasSecond = false;
  const second = takeStack({ brokers: 1, url: server.url }).then((stack) => {
    hasSecond = true;
    return stack;
  });
  await first.broker(0).kill();
  await first.broker(0).start();
  expect(hasSecond).toBe(false);
  await first.stop();
  expect((await second).brokers).toEqual(first.brokers);
  expect(done).toEqual(["start of 1", "kill 0", "start 0"]);
});

test("brokers that a suite leaves away are back before the next one begins", async () => {
  const done = await serverOf();
  const first = await takeStack({ brokers: 3, url: server.url });
  await first.broker(2).stop();
  await first.stop();
  await takeStack({ brokers: 3, url: server.url });
  expect(done).toEqual(["start of 3", "stop 2", "start 2"]);
});

test("where a broker does not come back, or another number is asked for, the next suite gets a new stack", async () => {
  const done = await serverOf({ failing: true });
  const first = await takeStack({ brokers: 3, url: server.url });
  await first.broker(2).kill();
  await first.stop();
  const second = await takeStack({ brokers: 3, url: server.url });
  await second.stop();
  await takeStack({ brokers: 1, url: server.url });
  expect(done).toEqual([
    ...["start of 3", "kill 2", "start 2", "stop of 3"],
    ...["start of 3", "stop of 3"],
    "start of 1",
  ]);
});

test("a suite that ends while it waits does not keep the others", async () => {
  await serverOf();
  const first = await takeStack({ brokers: 1, url: server.url });
  const abandoned = new AbortController();
  const waiting = fetch(`${server.url}/turn`, { signal: abandoned.signal }).catch(() => "gone");
  const third = takeStack({ brokers: 1, url: server.url });
  abandoned.abort();
  expect(await waiting).toBe("gone");
  await first.stop();
  expect((await third).brokers).toHaveLength(1);
});

test("what is started ends with the run", async () => {
  const done = await serverOf();
  await takeStack({ brokers: 1, url: server.url });
  await fetch(server.url);
  await server.stop();
  await until(() => done.length === 4, { timeoutMs: 60_000, what: "both to end" });
  expect(done).toEqual(["start of 1", "start of 0", "stop of 1", "stop of 0"]);
});
