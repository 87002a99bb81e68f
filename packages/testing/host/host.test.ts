import { describe, expect, test } from "@jest/globals";
import { Random } from "../random.ts";
import { inRealEvent } from "./real-event.ts";
import { EPOCH_MS, VirtualHost } from "./virtual-host.ts";
import { VirtualTime } from "./virtual-time.ts";

function world() {
  const time = new VirtualTime();
  const random = new Random(1);
  const host = (name: string) => new VirtualHost({ time, random: random.split(name) });
  const until = (ms: number) => inRealEvent(() => time.runUntil(ms));
  return { time, host, until };
}

describe("virtual time", () => {
  test("things happen by time, those of one time in the order in which they were planned", async () => {
    const { host, until } = world();
    const one = host("one");
    const done: string[] = [];
    one.setTimeout(() => done.push("30"), 30);
    one.setTimeout(() => done.push("10 first"), 10);
    one.setTimeout(() => {
      done.push("10 second");
      one.setImmediate(() => done.push("immediate"));
    }, 10);
    one.setTimeout(() => done.push("10 third"), 10);
    await until(20);
    expect(done).toEqual(["10 first", "10 second", "10 third", "immediate"]);
    await until(30);
    expect(done.at(-1)).toBe("30");
  });

  test("between two events every promise goes on as far as it can", async () => {
    const { host, until } = world();
    const one = host("one");
    const done: string[] = [];
    const work = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      done.push("promise");
    };
    one.setTimeout(() => void work(), 10);
    one.setTimeout(() => done.push("timer"), 10);
    await until(10);
    expect(done).toEqual(["promise", "timer"]);
  });

  test("a killed process does nothing more; a frozen one does it all when it is thawed", async () => {
    const { host, until } = world();
    const [killed, frozen] = [host("killed"), host("frozen")];
    const done: string[] = [];
    for (const [name, each] of Object.entries({ killed, frozen })) {
      each.setInterval(() => done.push(name), 10);
    }
    await until(15);
    killed.kill();
    frozen.freeze();
    await until(100);
    expect(done).toEqual(["killed", "frozen"]);
    frozen.thaw();
    await until(105);
    expect(done).toEqual(["killed", "frozen", "frozen"]);
    await until(109);
    expect(done).toHaveLength(3);
    await until(110);
    expect(done).toHaveLength(4);
  });

  test("a process can be killed in front of any of the things that happen to it", async () => {
    const { host, until } = world();
    const one = host("one");
    let done = 0;
    one.setInterval(() => {
      done += 1;
    }, 10);
    one.killAfter(3);
    await until(1_000);
    expect(done).toBe(3);
  });

  test("a clock is set without that its timers notice; a delay ends with its signal", async () => {
    const { host, until, time } = world();
    const one = host("one");
    const stopping = new AbortController();
    const ended = one.delay(50, stopping.signal).catch(() => "aborted");
    one.jump(3_600_000);
    expect(one.now()).toBe(EPOCH_MS + 3_600_000);
    await until(20);
    expect(one.elapsed()).toBe(20);
    stopping.abort();
    expect(await ended).toBe("aborted");
    expect(time.events).toBe(0);
  });
});
