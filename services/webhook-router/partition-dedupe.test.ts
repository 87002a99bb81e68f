import { cpSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Received } from "#kafka";
import type { Noted } from "#state";
import { FORMER_CALLS, FORMER_START_MS, writeFormerWindow } from "#support/former-window";
import { recordedLog } from "#support/recorded-log";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import type { Call } from "#topics";
import type { CallsLog } from "./calls-log.ts";
import { createDedupeWindows, type DedupeWindows } from "./dedupe-windows.ts";
import { call } from "./fixtures/calls.ts";
import { PartitionDedupe } from "./partition-dedupe.ts";

const HOUR_MS = 3_600_000;
const { logger } = recordedLog();

/** A partition of the calls topic in memory. */
class MemoryLog implements CallsLog {
  readonly calls: Call[] = [];
  committedOffset: number | undefined;
  low = 0;
  /** Resolves before each call that is read again. */
  gate: Promise<void> = Promise.resolve();
  readAgain: number[] = [];
  failures = 0;
  /** Nobody answers, until the reading is ended. */
  isAway = false;
  isAsked = false;

  append(...messageIds: string[]): void {
    for (const messageId of messageIds) this.calls.push(call({ messageId }));
  }

  /** Appends a call that was received this long ago. */
  appendAged(messageId: string, ageMs: number): void {
    this.calls.push(call({ messageId, receivedAtMs: Date.now() - ageMs }));
  }

  record(offset: number): Received<Call> {
    const decoded = this.calls[offset];
    if (decoded === undefined) throw new RangeError(`no offset ${offset}`);
    return { topic: "calls", partition: 0, offset, key: null, value: null, timestampMs: 0, decoded };
  }

  committed: CallsLog["committed"] = async () => this.committedOffset;
  bounds = async (): Promise<{ low: number; high: number }> => ({ low: this.low, high: this.calls.length });

  timeAt: CallsLog["timeAt"] = async (_, offset) => this.calls[offset]?.receivedAtMs;

  async offsetAt(_: number, timeMs: number): Promise<number> {
    const found = this.calls.findIndex(({ receivedAtMs }) => receivedAtMs >= timeMs);
    return found < 0 ? this.calls.length : found;
  }

  async read({ fromOffset, toOffset, signal, onCall }: Parameters<CallsLog["read"]>[0]): Promise<void> {
    this.isAsked = true;
    if (this.isAway) {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(new Error("the reading was ended")));
      await promise;
    }
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("Kafka is away");
    }
    for (let offset = fromOffset; offset < toOffset; offset++) {
      await this.gate;
      this.readAgain.push(offset);
      await onCall({ offset, call: this.record(offset).decoded });
    }
  }
}

let directory: string;
let log: MemoryLog;
beforeEach(() => {
  directory = scratchFolder();
  log = new MemoryLog();
});

const closing: Pick<PartitionDedupe, "close">[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

function ownPartition(more = {}): PartitionDedupe {
  const dedupe = new PartitionDedupe({ ...options(), partition: 0, ...more });
  closing.push(dedupe);
  return dedupe;
}

async function opened(more = {}): Promise<PartitionDedupe> {
  const dedupe = ownPartition(more);
  await dedupe.open();
  return dedupe;
}

function newWindows(): DedupeWindows {
  const windows = createDedupeWindows(options());
  closing.push(windows);
  return windows;
}

function options() {
  return {
    directory,
    windowMs: 86_400_000,
    log,
    logger,
    host: systemHost,
    onDiskError: (error: unknown) => {
      throw error;
    },
  };
}

function note(dedupe: PartitionDedupe, offset: number): Promise<Noted> {
  return new Promise((resolve, reject) => {
    const giveBack = () => reject(new Error("given back"));
    dedupe.note(log.record(offset), { use: resolve, fail: reject, giveBack });
  });
}

/** Notes a call and keeps what the window says of it. */
function told(dedupe: Pick<DedupeWindows, "note"> | PartitionDedupe, offset: number): string[] {
  const heard: string[] = [];
  dedupe.note(log.record(offset), {
    use: (noted) => void heard.push(noted),
    fail: (error) => void heard.push(String(error)),
    giveBack: () => void heard.push("given back"),
  });
  return heard;
}

const PARTITION = { topic: "calls", partition: 0 };

describe("the window of an assigned partition", () => {
  test("is rebuilt by a new owner with an empty disk before it judges (contract 1.8)", async () => {
    log.append("a", "b", "a");
    log.committedOffset = 2;
    const dedupe = await opened();
    expect(log.readAgain).toEqual([0, 1]);
    expect(await note(dedupe, 2)).toBe("duplicate");
  });

  test("is rebuilt from a window's length before the calls that waited, however long nobody routed them", async () => {
    log.appendAged("too old", 45 * HOUR_MS);
    log.appendAged("a", 40 * HOUR_MS);
    log.appendAged("b", 39 * HOUR_MS);
    log.appendAged("a", 20 * HOUR_MS);
    log.committedOffset = 3;
    const dedupe = await opened();
    expect(log.readAgain).toEqual([1, 2]);
    expect(await note(dedupe, 3)).toBe("duplicate");
  });

  test("is rebuilt as far when the call that goes on was stamped by a clock that runs ahead", async () => {
    log.appendAged("a", 2 * HOUR_MS);
    log.appendAged("ahead", -100 * HOUR_MS);
    log.appendAged("a", HOUR_MS);
    log.committedOffset = 1;
    const dedupe = await opened();
    expect(log.readAgain).toEqual([0]);
    expect(await note(dedupe, 1)).toBe("first");
    expect(await note(dedupe, 2)).toBe("duplicate");
  });

  test("reads again only what it does not hold", async () => {
    log.append("a", "b");
    const first = await opened();
    await note(first, 0);
    await first.close();
    log.committedOffset = 2;
    await opened();
    expect(log.readAgain).toEqual([1]);
  });

  test("knows after a kill, too, what stands where its log was cut and written again", async () => {
    log.append("a", "lost", "also lost");
    const before = await opened();
    for (const offset of [0, 1, 2]) await note(before, offset);
    await before.close();
    log.calls.length = 1;
    log.append("b", "c", "b", "c");
    const killed = await opened();
    expect(await note(killed, 1)).toBe("first");
    cpSync(directory, `${directory}-killed`, { recursive: true });
    await killed.close();
    log.committedOffset = 3;
    const next = await opened({ directory: `${directory}-killed` });
    expect([await note(next, 3), await note(next, 4)]).toEqual(["duplicate", "duplicate"]);
    await next.close();
    rmSync(`${directory}-killed`, { recursive: true });
  });

  test("is rebuilt where a backlog longer than the window was noted and not committed", async () => {
    for (const hours of [30, 29, 4]) log.appendAged("daily", hours * HOUR_MS);
    log.appendAged("last", HOUR_MS);
    const killed = await opened();
    const heard: Noted[] = [];
    for (const offset of [0, 1, 2, 3]) heard.push(await note(killed, offset));
    expect(heard).toEqual(["first", "duplicate", "first", "first"]);
    await killed.close();
    log.committedOffset = 1;
    const next = await opened();
    for (const offset of [1, 2, 3]) expect(await note(next, offset)).toBe(heard[offset]);
    expect(log.readAgain).toEqual([0]);
  });

  test("catches up before a call that another owner's work lies in front of, and keeps the calls' order", async () => {
    log.append("a", "b", "c", "b", "d");
    const dedupe = await opened();
    await note(dedupe, 0);
    // Offsets 1 and 2 were routed elsewhere while the partition was away.
    const judged: string[] = [];
    const all = [3, 4].map((offset) =>
      note(dedupe, offset).then((noted) => judged.push(`${offset} ${noted}`)),
    );
    await Promise.all(all);
    expect(judged).toEqual(["3 duplicate", "4 first"]);
    expect(log.readAgain).toEqual([1, 2]);
  });

  test("goes over an undecodable record without reading anything again", async () => {
    log.append("a", "undecodable", "b");
    const dedupe = await opened();
    await note(dedupe, 0);
    dedupe.skip(1);
    expect(await note(dedupe, 2)).toBe("first");
    expect(log.readAgain).toEqual([]);
  });

  test("is given up in the middle of a rebuild when the partition is revoked", async () => {
    log.append("a", "b", "c", "d");
    log.committedOffset = 3;
    const gate = Promise.withResolvers<void>();
    log.gate = gate.promise;
    const dedupe = ownPartition();
    const opened = dedupe.open();
    const heard = told(dedupe, 3);
    const closed = dedupe.close();
    gate.resolve();
    await Promise.all([opened, closed]);
    expect(heard).toEqual(["given back"]);
    expect(log.readAgain.length).toBeLessThanOrEqual(1);
  });

  test("gives back each call that waits for it once, in the very turn of the loss, and none that comes later", async () => {
    log.append("a", "b", "c", "d");
    const gate = Promise.withResolvers<void>();
    log.gate = gate.promise;
    const dedupe = ownPartition();
    const waiting = [told(dedupe, 1), told(dedupe, 2)];
    const closed = dedupe.close();
    expect(waiting).toEqual([["given back"], ["given back"]]);
    const late = told(dedupe, 3);
    expect(late).toEqual(["given back"]);
    gate.resolve();
    await closed;
    expect([...waiting, late]).toEqual([["given back"], ["given back"], ["given back"]]);
  });

  test("a call that waited and can neither be judged nor fail is given back, and those behind it are judged", async () => {
    log.append("a", "b", "c");
    const dedupe = ownPartition();
    const heard: string[] = [];
    const broken = () => {
      throw new Error("a bug");
    };
    dedupe.note(log.record(1), { use: broken, fail: broken, giveBack: () => void heard.push("given back") });
    expect(await note(dedupe, 2)).toBe("first");
    expect(heard).toEqual(["given back"]);
  });

  test("is given up while Kafka is away when the partition is revoked", async () => {
    log.append("a", "b");
    log.committedOffset = 1;
    log.isAway = true;
    const dedupe = ownPartition();
    const opened = dedupe.open();
    await until(() => log.isAsked, { timeoutMs: 20_000, what: "the reading" });
    await Promise.all([opened, dedupe.close()]);
    expect(log.readAgain).toEqual([]);
  });

  test("is thrown away when its topic was created again", async () => {
    log.append("a", "b", "c");
    const first = await opened();
    for (const offset of [0, 1, 2]) await note(first, offset);
    await first.close();
    log = new MemoryLog();
    log.append("c", "a");
    const second = await opened();
    expect(await note(second, 0)).toBe("first");
    expect(await note(second, 1)).toBe("first");
  });

  test("goes on from the first record that retention has left", async () => {
    log.append("a", "b", "c");
    log.low = 2;
    log.committedOffset = 2;
    const dedupe = await opened();
    expect(await note(dedupe, 2)).toBe("first");
    expect(log.readAgain).toEqual([]);
  });

  test("passes on an error of a call that had waited", async () => {
    log.append("a", "b");
    const dedupe = ownPartition();
    const failed = new Promise((resolve) =>
      dedupe.note(log.record(1), {
        use() {
          throw new Error("a bug");
        },
        fail: resolve,
        giveBack: () => undefined,
      }),
    );
    expect(await failed).toMatchObject({ message: "a bug" });
  });

  test("says how far it has come while it is being rebuilt, for as long as the service is not ready", async () => {
    log.append("a", "b", "c");
    log.committedOffset = 3;
    const windows = newWindows();
    const gate = Promise.withResolvers<void>();
    log.gate = gate.promise;
    const assigned = windows.open(PARTITION);
    expect(windows.opening).toEqual(["0"]);
    gate.resolve();
    await assigned;
    expect(windows.opening).toEqual([]);
  });

  test("is opened again by the same process only after it was closed", async () => {
    log.append("a", "b");
    const windows = newWindows();
    await windows.open(PARTITION);
    expect(told(windows, 0)).toEqual(["first"]);
    windows.revoked([PARTITION]);
    log.committedOffset = 1;
    await windows.open(PARTITION);
    expect(log.readAgain).toEqual([]);
    expect(told(windows, 0)).toEqual(["again"]);
  });
});

describe("the windows of a process", () => {
  test("after two rebalances during a rebuild the calls are judged, and none was kept", async () => {
    log.append("a", "b", "c");
    log.committedOffset = 1;
    const first = Promise.withResolvers<void>();
    log.gate = first.promise;
    const windows = newWindows();
    const opened = windows.open(PARTITION);
    const waiting = told(windows, 1);
    windows.revoked([PARTITION]);
    await opened;
    expect([waiting, told(windows, 1)]).toEqual([["given back"], ["given back"]]);

    const second = Promise.withResolvers<void>();
    log.gate = second.promise;
    const again = windows.open(PARTITION);
    first.resolve();
    // The first term's rebuild has ended; the second's has not.
    expect(windows.opening).toEqual(["0"]);
    const later = told(windows, 1);
    second.resolve();
    await again;
    expect(windows.opening).toEqual([]);
    await until(() => later.length > 0, { timeoutMs: 20_000, what: "the call to be judged" });
    expect(later).toEqual(["first"]);
    expect(waiting).toEqual(["given back"]);
  });

  test("a partition that is lost while it waits for its rebuild is not opened, and others go on", async () => {
    log.append("a", "b");
    log.committedOffset = 1;
    const gate = Promise.withResolvers<void>();
    log.gate = gate.promise;
    const windows = newWindows();
    const partitions = [0, 1, 2, 3, 4, 5].map((partition) => ({ topic: "calls", partition }));
    const opened = partitions.map((partition) => windows.open(partition));
    const asked: number[] = [];
    log.committed = async (partition) => {
      asked.push(partition);
      return 1;
    };
    windows.revoked(partitions.slice(4, 5));
    expect(windows.opening).toEqual(["0", "1", "2", "3", "5"]);
    gate.resolve();
    await Promise.all(opened);
    expect(asked).toEqual([5]);
  });

  test("a rebuild that hangs holds no slot once its partition is lost", async () => {
    log.append("a", "b");
    log.committedOffset = 1;
    log.isAway = true;
    const windows = newWindows();
    const partitions = [0, 1, 2, 3].map((partition) => ({ topic: "calls", partition }));
    const opened = partitions.map((partition) => windows.open(partition));
    await until(() => log.isAsked, { timeoutMs: 20_000, what: "the reading" });
    windows.revoked(partitions);
    await Promise.all(opened);
    log.isAway = false;
    await windows.open({ partition: 4 });
    expect(windows.opening).toEqual([]);
  });
});

describe("a window of before, which noted ids without their users", () => {
  /** The log that it was made from, each call of a user of its own. */
  async function upgraded(): Promise<PartitionDedupe> {
    writeFormerWindow(directory);
    for (let number = 0; number < FORMER_CALLS; number += 1) append(number, `u${number}`);
    log.committedOffset = FORMER_CALLS;
    const dedupe = await opened();
    return dedupe;
  }

  function append(number: number, userId: string): number {
    const receivedAtMs = FORMER_START_MS + 2 * HOUR_MS;
    return log.calls.push(call({ sourceId: "s", messageId: `m${number}`, userId, receivedAtMs })) - 1;
  }

  test("is not read again; a copy is a duplicate, another user's call is not, and the log says which it is", async () => {
    const dedupe = await upgraded();
    expect(log.readAgain).toEqual([]);
    const [copy, other, copyOfOther, unknown] = [
      append(5, "u5"),
      append(5, "another"),
      append(5, "another"),
      append(FORMER_CALLS, "u40"),
    ];
    expect(await note(dedupe, copy)).toBe("duplicate");
    expect(log.readAgain[0]).toBe(5);
    const readOnce = log.readAgain.length;
    expect(await note(dedupe, other)).toBe("first");
    expect(await note(dedupe, copyOfOther)).toBe("duplicate");
    expect(await note(dedupe, unknown)).toBe("first");
    // A call that stood behind it is known as well.
    expect(await note(dedupe, append(6, "u6"))).toBe("duplicate");
    expect(log.readAgain).toHaveLength(readOnce);
  });

  test("holds nobody's copy back that is in the log no more, and waits while the log cannot be read", async () => {
    const dedupe = await upgraded();
    log.failures = 1;
    expect(await note(dedupe, append(7, "u7"))).toBe("duplicate");
    log.low = 30;
    expect(await note(dedupe, append(0, "u0"))).toBe("first");
  });
});
