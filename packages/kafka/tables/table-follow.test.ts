// A table over records as they come; on a real Kafka: table.test.ts.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { ClusterAdmin } from "../cluster.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { StubFollower } from "../fixtures/stub-follower.ts";
import type { TableOptions } from "../table-types.ts";
import type { RawRecord } from "../types.ts";
import { restoreMarks } from "./open-restores.ts";
import { TopicTable } from "./table.ts";

const PARTITION = 1;

let host: TestHost;
let follower: StubFollower;
let table: TopicTable<string>;
let poisoned: [number, string][];
let offset: number;
let high: number;

beforeEach(() => {
  host = new TestHost();
  follower = new StubFollower();
  [poisoned, offset, high] = [[], 0, 0];
  table = newTable();
});

function newTable(options: Partial<TableOptions<string>> = {}): TopicTable<string> {
  const admin = {
    offsets: async () => [{ partition: PARTITION, low: 0, high }],
    shapes: async () => new Map([["t", { leaders: [1], replicationFactor: 1 }]]),
  };
  const run = <R>(use: (admin: ClusterAdmin) => Promise<R>) => use(admin as unknown as ClusterAdmin);
  return new TopicTable<string>(
    { follower, admin: { run }, logger: recordingLogger().logger, host },
    {
      topic: "t",
      decode: ({ value }) => {
        if (String(value) === "bad") throw Object.assign(new Error("bad bytes"), { canRetry: false });
        return String(value);
      },
      onPoison: (record, error) => void poisoned.push([record.offset, error.message]),
      ...options,
    },
  );
}

afterEach(() => table.close());

async function join(): Promise<void> {
  await host.advance(0);
}

async function load(): Promise<void> {
  const loading = table.load();
  await join();
  await loading;
}

async function arrives(key: string | null, value: string | null, timestampMs = 0): Promise<void> {
  const bytes = value === null ? null : Buffer.from(value);
  const record: RawRecord = { topic: "t", partition: PARTITION, offset, key, value: bytes, timestampMs };
  offset += 1;
  void follower.arrive(record);
  await host.advance(0);
}

test("a look waits for a mark of a restore that is there and not read yet", async () => {
  table = newTable({ witnesses: ["w"] });
  await load();
  high = 1;
  const looking = expect(table.look()).rejects.toMatchObject({ code: "records_lost" });
  await join();
  await arrives(restoreMarks("r", 1)[0] ?? "", "begun");
  await looking;
});

describe("a table that follows", () => {
  test("the event loop turns when its listeners have had their time; all is told in order, and known as read only then", async () => {
    await load();
    const told: string[] = [];
    table.onChange((key) => {
      told.push(key);
      host.elapsed = () => now + 6 * told.length;
    });
    const now = host.elapsed();
    const records = ["a", "b", "c"].map((key, index) => {
      const value = Buffer.from("1");
      return { topic: "t", partition: PARTITION, offset: index, key, value, timestampMs: 0 } as RawRecord;
    });
    void follower.arrive(...records);
    const there = table.until(() => table.get("c") !== undefined, 1_000);
    await Promise.resolve();
    expect(told).toEqual(["a", "b"]);
    await host.advance(0);
    await there;
    expect(told).toEqual(["a", "b", "c"]);
  });

  test("holds the last value of each key, and tells of every change what was there before", async () => {
    await load();
    const changes: unknown[][] = [];
    const stop = table.onChange((...change) => void changes.push(change));
    await arrives("a", "1");
    await arrives("b", "2");
    await arrives("a", "3");
    await arrives("b", null);
    expect([...table.entries()]).toEqual([["a", "3"]]);
    expect([table.size, table.get("a"), table.get("b")]).toEqual([1, "3", undefined]);
    expect(changes).toEqual([
      ["a", "1", undefined],
      ["b", "2", undefined],
      ["a", "3", "1"],
      ["b", undefined, "2"],
    ]);
    stop();
    await arrives("a", "4");
    expect([changes.length, table.get("a")]).toEqual([4, "4"]);
  });

  test("gives its listeners what it was asked not to keep", async () => {
    await table.close();
    table = newTable({ keepsValues: false });
    await load();
    const changes: unknown[][] = [];
    table.onChange((...change) => void changes.push(change));
    const there = table.until(() => changes.length === 2, 1_000);
    await arrives("a", "1");
    await arrives("a", "2");
    await there;
    expect(changes).toEqual([
      ["a", "1", undefined],
      ["a", "2", undefined],
    ]);
    expect([table.size, table.get("a"), [...table.entries()]]).toEqual([0, undefined, []]);
  });

  test("is loaded when all is read that was there, also what it cannot read or nobody can ask for", async () => {
    high = 3;
    let isLoaded = false;
    const loading = table.load().then(() => {
      isLoaded = true;
    });
    await join();
    await arrives("a", "1");
    await arrives("a", "bad");
    expect([isLoaded, table.loaded]).toEqual([false, false]);
    await arrives(null, "nobody's");
    await loading;
    expect([isLoaded, table.loaded, table.size, table.get("a")]).toEqual([true, true, 1, "1"]);
    expect(poisoned).toEqual([[1, "bad bytes"]]);
  });

  test("knows when its newest record was written", async () => {
    await load();
    expect(table.lastRecordAtMs).toBeUndefined();
    await arrives("a", "1", 500);
    await arrives("a", "2", 400);
    expect(table.lastRecordAtMs).toBe(500);
    await arrives(null, "3", 600);
    expect(table.lastRecordAtMs).toBe(600);
  });

  test("can be waited for, for so long", async () => {
    await load();
    const there = table.until(() => table.get("a") === "1", 1_000);
    await arrives("a", "1");
    await there;
    await table.until(() => table.get("a") === "1", 1_000);
    const late = expect(table.until(() => table.get("a") === "2", 1_000)).rejects.toMatchObject({
      code: "table_timeout",
      canRetry: true,
      message: expect.stringContaining("1000 ms"),
    });
    await host.advance(1_000);
    await late;
  });

  test("follows nothing any more when it is closed", async () => {
    await load();
    await table.close();
    expect(follower.closed).toBe(1);
    await expect(table.load()).rejects.toMatchObject({ code: "closed" });
  });
});
