import { describe, expect, test } from "@jest/globals";
import type { SourceConfig } from "#topics";
import { createRateLimit, ordinaryCalls } from "../limits/rate-limit.ts";
import { clientAddress } from "./client-address.ts";
import { publicHost } from "./settings-reply.ts";
import { createSourceDirectory, type SourceTable } from "./source-directory.ts";

describe("the caller's address (contract 7.7)", () => {
  test.each([
    ["203.0.113.9", undefined, 0, "203.0.113.9"],
    ["::ffff:203.0.113.9", undefined, 0, "203.0.113.9"],
    ["2001:db8::1", undefined, 0, "2001:db8::1"],
    [undefined, undefined, 0, undefined],
    ["10.0.0.1", "198.51.100.7", 0, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.7", 1, "198.51.100.7"],
    ["10.0.0.1", "6.6.6.6, 198.51.100.7", 1, "198.51.100.7"],
    ["10.0.0.1", "6.6.6.6, 198.51.100.7, 10.0.0.2", 2, "198.51.100.7"],
    ["10.0.0.1", "198.51.100.7", 5, "198.51.100.7"],
    ["10.0.0.1", "nonsense", 1, "10.0.0.1"],
    ["10.0.0.1", undefined, 1, "10.0.0.1"],
  ])("%s, forwarded for %s, %d trusted: %s", (remote, forwarded, trusted, address) => {
    expect(clientAddress(remote, forwarded, trusted)).toBe(address);
  });
});

describe("the rate limit", () => {
  const at = (callsPerSecond: number) => {
    const clock = { nowMs: 0 };
    return { clock, limit: createRateLimit({ callsPerSecond, nowMs: () => clock.nowMs }) };
  };

  test("zero means no limit", () => {
    expect(at(0).limit.take("s", 1_000_000)).toBeUndefined();
  });

  test("a batch larger than the burst passes and is paid off afterwards", () => {
    const { clock, limit } = at(100);
    expect(limit.take("s", 2_500)).toBeUndefined();
    expect(limit.take("s", 1)).toBe(23_010);
    clock.nowMs = 23_010;
    expect(limit.take("s", 1)).toBeUndefined();
  });

  test("a source that was quiet for long may send two seconds of its rate at once, no more", () => {
    const { clock, limit } = at(100);
    expect(limit.take("s", 1)).toBeUndefined();
    clock.nowMs = 3_600_000;
    expect(limit.take("s", 200)).toBeUndefined();
    expect(limit.take("s", 1)).toBe(10);
  });

  test("a large call counts as several", () => {
    const bodies = [0, 4_095, 4_096, 16_384].map((length) => ({ body: "x".repeat(length) }));
    expect(bodies.map((body) => ordinaryCalls([body]))).toEqual([1, 1, 2, 5]);
    expect(ordinaryCalls(bodies)).toBe(9);
  });

  test("asking how long to wait takes nothing", () => {
    const { limit } = at(1);
    expect([limit.waitMs("s"), limit.waitMs("s"), limit.take("s", 3), limit.waitMs("s")]).toEqual([
      undefined,
      undefined,
      undefined,
      2_000,
    ]);
    expect(at(0).limit.waitMs("s")).toBeUndefined();
  });

  test("sources do not share", () => {
    const { limit } = at(1);
    limit.take("a", 10);
    expect(limit.take("b", 1)).toBeUndefined();
  });

  test("a clock that goes back takes nothing away", () => {
    const { clock, limit } = at(1);
    clock.nowMs = 10_000;
    limit.take("s", 1);
    clock.nowMs = 0;
    expect(limit.take("s", 1)).toBeUndefined();
  });
});

describe("the host that SDKs are told", () => {
  test.each([
    [undefined, "calls.example.com", "calls.example.com"],
    [undefined, "localhost:8080", "localhost:8080"],
    [undefined, "[::1]:8080", "[::1]:8080"],
    [undefined, 'evil"host', "localhost"],
    [undefined, ".evil", "localhost"],
    [undefined, "a".repeat(300), "localhost"],
    [undefined, "a:123456", "localhost"],
    [undefined, undefined, "localhost"],
    ["in.example.com", "other", "in.example.com"],
  ])("configured %s, asked as %s: %s", (configured, header, host) => {
    expect(publicHost(configured, header)).toBe(host);
  });
});

describe("sources by write key", () => {
  const config = (id: string, writeKeys: string[], enabled = true): SourceConfig => ({
    ...{ id, name: id, enabled, labels: {}, writeKeys, version: 1, createdAtMs: 0, updatedAtMs: 0 },
  });

  test("follow every change: rotation, disabling, deletion", () => {
    const listeners: Parameters<SourceTable["onChange"]>[0][] = [];
    const now = new Map([["a", config("a", ["k1"])]]);
    const directory = createSourceDirectory({
      entries: () => now.entries(),
      onChange(listener) {
        listeners.push(listener);
        return () => undefined;
      },
    });
    const change = (id: string, value: SourceConfig | undefined) => {
      for (const listener of listeners) listener(id, value, now.get(id));
      if (value === undefined) now.delete(id);
      else now.set(id, value);
    };
    expect(directory.byWriteKey("k1")).toEqual({ id: "a", enabled: true });
    change("a", config("a", ["k1", "k2"]));
    expect(directory.byWriteKey("k2")).toEqual({ id: "a", enabled: true });
    expect(directory.byWriteKey("k1")).toEqual({ id: "a", enabled: true, formerKey: "k1" });
    change("a", config("a", ["k2"], false));
    expect(directory.byWriteKey("k1")).toBeUndefined();
    expect(directory.byWriteKey("k2")).toEqual({ id: "a", enabled: false });
    change("b", config("b", ["k3"]));
    change("a", undefined);
    expect(directory.byWriteKey("k2")).toBeUndefined();
    expect(directory.byWriteKey("k3")).toEqual({ id: "b", enabled: true });
    expect(directory.byWriteKey("__proto__")).toBeUndefined();
  });

  test.each([
    ["is deleted", undefined],
    ["gets other keys", config("a", ["k9"])],
  ])("a key that another source has by now stays that one's when its former source %s", (_what, later) => {
    const table = new Map([["a", config("a", ["k1"])]]);
    let change: Parameters<SourceTable["onChange"]>[0] = () => undefined;
    const directory = createSourceDirectory({
      entries: () => table.entries(),
      onChange(listener) {
        change = listener;
        return () => undefined;
      },
    });
    change("b", config("b", ["k1"]), undefined);
    expect(directory.byWriteKey("k1")).toEqual({ id: "b", enabled: true });
    change("a", later, table.get("a"));
    expect(directory.byWriteKey("k1")).toEqual({ id: "b", enabled: true });
  });
});
