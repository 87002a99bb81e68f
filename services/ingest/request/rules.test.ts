import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createRateLimit, ordinaryCalls } from "../limits/rate-limit.ts";
import { clientAddress } from "./client-address.ts";
import { publicHost } from "./settings-reply.ts";
import { type IngestSource, SourceDirectory } from "./source-directory.ts";

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
    ["10.0.0.1", "198.51.100.7:50123", 1, "198.51.100.7"],
    ["10.0.0.1", "[2001:db8::7]:50123", 1, "2001:db8::7"],
    ["10.0.0.1", "[2001:db8::7]", 1, "2001:db8::7"],
    ["10.0.0.1", "2001:db8::7", 1, "2001:db8::7"],
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

/** Its bytes are JSON here. */
function newDirectory() {
  const directory = new SourceDirectory((kept) => JSON.parse(kept.toString()) as IngestSource);
  return {
    directory,
    set(id: string, writeKeys: string[], enabled = true) {
      const source = { enabled, writeKeys };
      directory.set(id, source, Buffer.from(JSON.stringify(source)));
    },
  };
}

describe("sources by write key", () => {
  test("follow every change: rotation, disabling, deletion", () => {
    const { directory, set } = newDirectory();
    set("a", ["k1"]);
    expect(directory.byWriteKey("k1")).toEqual({ id: "a", enabled: true });
    set("a", ["k1", "k2"]);
    expect(directory.byWriteKey("k2")).toEqual({ id: "a", enabled: true });
    expect(directory.byWriteKey("k1")).toEqual({ id: "a", enabled: true, formerKey: "k1" });
    set("a", ["k2"], false);
    expect(directory.byWriteKey("k1")).toBeUndefined();
    expect(directory.byWriteKey("k2")).toEqual({ id: "a", enabled: false });
    set("b", ["k3"]);
    directory.delete("a");
    directory.delete("none");
    expect(directory.byWriteKey("k2")).toBeUndefined();
    expect(directory.byWriteKey("k3")).toEqual({ id: "b", enabled: true });
    expect(directory.byWriteKey("__proto__")).toBeUndefined();
  });

  test.each([
    ["is deleted", undefined],
    ["gets other keys", ["k9"]],
  ])("a key that another source has by now stays that one's when its former source %s", (_what, later) => {
    const { directory, set } = newDirectory();
    set("a", ["k1"]);
    expect(directory.byWriteKey("k1")).toEqual({ id: "a", enabled: true });
    set("b", ["k1"]);
    expect(directory.byWriteKey("k1")).toEqual({ id: "b", enabled: true });
    if (later === undefined) directory.delete("a");
    else set("a", later);
    expect(directory.byWriteKey("k1")).toEqual({ id: "b", enabled: true });
  });

  test("after any changes are those of each source's last one", () => {
    const change = fc.record({
      id: fc.nat({ max: 9 }).map((number) => `src_${number}`),
      keys: fc.option(fc.uniqueArray(fc.nat({ max: 3 }), { maxLength: 3 }), { nil: undefined }),
      enabled: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const { directory, set } = newDirectory();
        const model = new Map<string, IngestSource>();
        for (const { id, keys, enabled } of changes) {
          // Of its own, as keys are.
          const writeKeys = keys?.map((key) => `${id}-key-${key}`);
          if (writeKeys === undefined) directory.delete(id);
          else set(id, writeKeys, enabled);
          if (writeKeys === undefined) model.delete(id);
          else model.set(id, { enabled, writeKeys });
          for (let key = 0; key <= 3; key += 1) {
            const source = model.get(id);
            const writeKey = `${id}-key-${key}`;
            const isKnown = source?.writeKeys.includes(writeKey) === true;
            const former = writeKey === source?.writeKeys.at(-1) ? {} : { formerKey: writeKey };
            const found = isKnown ? { id, enabled: source.enabled, ...former } : undefined;
            expect(directory.byWriteKey(writeKey)).toEqual(found);
          }
        }
        expect(new Map(directory.entries())).toEqual(model);
        expect(directory.size).toBe(model.size);
        for (const [id, source] of model) expect(directory.get(id)).toEqual(source);
      }),
    );
  });
});
