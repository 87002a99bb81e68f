import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Hold, Received } from "#kafka";
import { until } from "#support/until";
import type { Replay } from "#topics";
import { replay } from "../replays/fixtures/replay.ts";
import { WorkOwner } from "./owner.ts";

function bench() {
  const settled: number[] = [];
  const begun: string[] = [];
  const aborted: string[] = [];
  const sent: { readonly key: string; readonly hold: Hold | undefined }[] = [];
  const unsent: string[] = [];
  const back: number[] = [];
  const failures: string[] = [];
  const ends = new Map<string, (outcome?: Error) => void>();
  const owner = new WorkOwner<Replay>({
    isOpen: ({ state }) => state === "running",
    host: systemHost,
    producer: {
      async send(records, hold) {
        for (const { key } of records) sent.push({ key: String(key), hold });
      },
      giveUpLost() {
        for (const { key, hold } of sent) if (hold?.isHeld === false) unsent.push(key);
      },
    },
    work(id, { signal, write }) {
      begun.push(id);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => void aborted.push(id));
      void write([{ topic: "jobs", key: id, value: null }]);
      ends.set(id, (error) => (error === undefined ? resolve() : reject(error)));
      return promise;
    },
    onFailed: (id) => void failures.push(id),
    retryAfterMs: 1,
  });
  let offset = 0;
  const owned = new Set<number>();
  /** Partitions of which the process is not sure any more. */
  const unsure = new Set<number>();
  const read = (decoded: Replay | undefined, partition = 0): number => {
    offset += 1;
    const at = offset;
    const raw = { topic: "replays", partition, offset: at, key: "r", value: null, timestampMs: 0 };
    const record: Received<Replay | undefined> = { ...raw, decoded };
    // As a reader does: what is given back comes again, at once, for as long as the partition is read here.
    function giveBack(): void {
      back.push(at);
      if (back.length > 100) throw new Error("it is given back for ever");
      if (owned.has(partition)) step();
    }
    const claim = {
      get isOurs() {
        return !unsure.has(partition);
      },
      giveBack,
    };
    const step = () => owner.step(record, () => void settled.push(at), claim);
    owned.add(partition);
    step();
    return at;
  };
  const lose = (partition: number): void => {
    owned.delete(partition);
    owner.revoked([{ partition }]);
  };
  const end = async (id: string, error?: Error) => {
    ends.get(id)?.(error);
    await new Promise(setImmediate);
  };
  return { aborted, back, begun, end, failures, lose, owned, owner, read, settled, unsent, unsure };
}

describe("the owner of work", () => {
  test("works on it, and its record stays open until that has ended", async () => {
    const { begun, end, owner, read, settled } = bench();
    const request = read(replay({ id: "a" }));
    expect([begun, settled, owner.running]).toEqual([["a"], [], 1]);
    await end("a");
    expect([begun, settled, owner.running]).toEqual([["a"], [request], 0]);
  });

  test("lets go of it when its partition may be another's, heard of or not, and sends nothing of it again", async () => {
    const { aborted, back, owned, read, settled, unsent, unsure } = bench();
    const request = read(replay({ id: "a" }));
    // A reader that is not sure steps nothing.
    owned.delete(0);
    unsure.add(0);
    await until(() => back.length > 0, { timeoutMs: 10_000, what: "the record to be given back" });
    expect([aborted, unsent, back, settled]).toEqual([["a"], ["a"], [request], []]);
  });

  test("works on it again for a record that came while the work was ending: that may have been decided before", async () => {
    const { begun, end, owner, read, settled } = bench();
    const off = read(replay({ id: "a" }));
    const on = read(replay({ id: "a", replayed: 5 }));
    await end("a");
    expect([begun, settled, owner.running]).toEqual([["a", "a"], [], 1]);
    await end("a");
    expect([begun, settled, owner.running]).toEqual([["a", "a"], [off, on], 0]);
  });

  test("holds two records of it at most, however many come meanwhile", async () => {
    const { begun, back, end, lose, read, settled } = bench();
    const records = Array.from({ length: 4 }, () => read(replay({ id: "a" })));
    expect([begun, settled]).toEqual([["a"], [records[1], records[2]]]);
    lose(0);
    expect(back).toEqual([records[0], records[3]]);
    await end("a");
    expect(settled).toHaveLength(2);
  });

  test.each(["finished", "cancelled"])(
    "does nothing about one that is %s, or is no longer there",
    (state) => {
      const { begun, read, settled } = bench();
      const records = [read(replay({ state })), read(undefined)];
      expect([begun, settled]).toEqual([[], records]);
    },
  );

  test("lets go of it with its partition: its work ends, its record is given back", async () => {
    const { aborted, back, end, lose, owner, read, settled } = bench();
    const inZero = read(replay({ id: "a" }), 0);
    const inOne = read(replay({ id: "b" }), 1);
    lose(0);
    expect([aborted, back, owner.running]).toEqual([["a"], [inZero], 1]);
    await end("a");
    await end("b");
    expect([settled, back]).toEqual([[inOne], [inZero]]);
  });

  test("goes on with it when its record is read again, once its earlier work has ended", async () => {
    const { begun, end, lose, owner, read, settled } = bench();
    read(replay({ id: "a" }));
    lose(0);
    const again = read(replay({ id: "a" }));
    expect([begun, owner.running]).toEqual([["a"], 1]);
    await end("a");
    await until(() => begun.length === 2, { timeoutMs: 10_000, what: "the work of the second term" });
    await end("a");
    expect([settled, owner.running]).toEqual([[again], 0]);
  });

  test("tries again after a failure", async () => {
    const { begun, end, failures, read, settled } = bench();
    read(replay({ id: "a" }));
    await end("a", new Error("no"));
    await until(() => begun.length === 2, { timeoutMs: 10_000, what: "another try" });
    expect([failures, settled]).toEqual([["a"], []]);
    await end("a");
    expect(settled).toHaveLength(1);
  });

  test("that stops waits for the end of its work, and gives the record back only when it is read here no more", async () => {
    const { aborted, back, begun, end, lose, owner, read, settled, unsent } = bench();
    const record = read(replay({ id: "a" }));
    let hasStopped = false;
    const stopped = owner.stop().then(() => {
      hasStopped = true;
    });
    await new Promise(setImmediate);
    expect([aborted, unsent, hasStopped]).toEqual([["a"], [], false]);
    await end("a");
    await stopped;
    expect([begun, settled, back]).toEqual([["a"], [], []]);
    lose(0);
    expect([settled, back, owner.running]).toEqual([[], [record], 0]);
  });

  test("that stops begins nothing more", async () => {
    const { back, begun, lose, owner, read, settled } = bench();
    await owner.stop();
    const record = read(replay({ id: "a" }));
    await new Promise(setImmediate);
    expect([begun, settled, back]).toEqual([[], [], []]);
    lose(0);
    expect(back).toEqual([record]);
  });
});
