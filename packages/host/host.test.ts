import { getEventListeners } from "node:events";
import { describe, expect, test } from "@jest/globals";
import { coreTimeIn, openCoreTime } from "./core-time.ts";
import { orAborted, systemHost } from "./index.ts";

describe("the system's host", () => {
  test("a cleared timer does no work; the others do theirs in order", async () => {
    const done: string[] = [];
    systemHost.setTimeout(() => done.push("cleared timeout"), 1).clear();
    systemHost.setImmediate(() => done.push("cleared immediate")).clear();
    systemHost.setInterval(() => done.push("cleared interval"), 1).clear();
    systemHost.setImmediate(() => done.push("immediate"));
    await systemHost.delay(20);
    expect(done).toEqual(["immediate"]);
  });

  test("a delay rejects with the reason of the signal that ends it, also of one that has ended before", async () => {
    const reason = new Error("stopping");
    const stopping = new AbortController();
    const waiting = systemHost.delay(60_000, stopping.signal);
    stopping.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(systemHost.delay(1, stopping.signal)).rejects.toBe(reason);
  });

  test("time passes, also for who measures durations", async () => {
    const before = { now: systemHost.now(), elapsed: systemHost.elapsed() };
    await systemHost.delay(15);
    expect(systemHost.elapsed() - before.elapsed).toBeGreaterThanOrEqual(14);
    expect(systemHost.now()).toBeGreaterThanOrEqual(before.now);
  });
});

describe("the time that the main thread runs or waits for a core", () => {
  test("is both of them, in ms", () => {
    expect(coreTimeIn("1500000 500000 7\n")).toBe(2);
    expect(coreTimeIn("0 0 0\n")).toBe(0);
  });

  test("passes while it works, whoever has the core", () => {
    const [coreMs, elapsedMs] = [systemHost.coreMs(), systemHost.elapsed()];
    while (systemHost.elapsed() - elapsedMs < 60);
    const workedMs = systemHost.elapsed() - elapsedMs;
    expect(systemHost.coreMs() - coreMs).toBeGreaterThan(workedMs / 2);
  });

  test("is not known where the system does not say it", () => {
    expect(openCoreTime("/nowhere/schedstat")()).toBe(0);
  });
});

describe("work or an end of the waiting for it", () => {
  const never = new Promise<string>(() => undefined);

  test("gives what the work gives, and leaves nothing at the signal", async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve("done"), signal)).resolves.toBe("done");
    await expect(orAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("rejects at the abort, also one that came before", async () => {
    const ending = new AbortController();
    const waiting = orAborted(never, ending.signal);
    ending.abort();
    await expect(waiting).rejects.toThrow("was ended");
    await expect(orAborted(never, ending.signal)).rejects.toThrow("was ended");
  });
});
