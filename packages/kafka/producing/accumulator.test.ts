import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Accumulator, type Delivery, type PartitionBatch, type PendingRecord } from "./accumulator.ts";

const LIMITS = {
  maxRecordsPerPartition: 1_000,
  maxBytesPerPartition: 900_000,
  maxBytesPerRequest: 4_000_000,
};

function newDelivery(): Delivery {
  return {
    settled: false,
    remaining: 1,
    queuedElapsedMs: 0,
    deadlineElapsedMs: Number.POSITIVE_INFINITY,
    hold: undefined,
    resolve: () => undefined,
    reject: () => undefined,
  };
}

function pending(partition: number, name: string, sizeBytes = 10): PendingRecord {
  return { record: { topic: "t", key: name, value: null }, partition, sizeBytes, delivery: newDelivery() };
}

const all = (): boolean => true;

function namesOf(batches: readonly PartitionBatch[]): (string | null)[] {
  return batches.flatMap(({ records }) => records.map(({ record }) => record.key));
}

describe("accumulator", () => {
  test("a request takes at most 1,000 records of a partition (fact 5)", () => {
    const accumulator = new Accumulator(LIMITS);
    for (let i = 0; i < 2_500; i += 1) accumulator.add(pending(0, `r${i}`));
    const sizes: number[] = [];
    for (let batches = accumulator.take(all); batches.length > 0; batches = accumulator.take(all)) {
      sizes.push(...batches.map(({ records }) => records.length));
      for (const batch of batches) accumulator.release(batch);
    }
    expect(sizes).toEqual([1_000, 1_000, 500]);
    expect(accumulator.waiting).toBe(0);
  });

  test("a partition's batch stays below the bytes that the broker accepts", () => {
    const accumulator = new Accumulator({ ...LIMITS, maxBytesPerPartition: 100 });
    for (const name of ["a", "b", "c"]) accumulator.add(pending(0, name, 40));
    expect(namesOf(accumulator.take(all))).toEqual(["a", "b"]);
  });

  test("a record larger than the bound travels alone", () => {
    const accumulator = new Accumulator({ ...LIMITS, maxBytesPerPartition: 100 });
    accumulator.add(pending(0, "huge", 500));
    accumulator.add(pending(0, "small", 1));
    expect(namesOf(accumulator.take(all))).toEqual(["huge"]);
  });

  test("a request takes of the partitions that it is for, and leaves the others ready", () => {
    const accumulator = new Accumulator(LIMITS);
    for (const partition of [0, 1, 2]) accumulator.add(pending(partition, `p${partition}`));
    expect(namesOf(accumulator.take(({ partition }) => partition === 1))).toEqual(["p1"]);
    expect(accumulator.waiting).toBe(2);
    expect(namesOf(accumulator.take(all))).toEqual(["p0", "p2"]);
  });

  test("a request is bounded over all its partitions", () => {
    const accumulator = new Accumulator({ ...LIMITS, maxBytesPerRequest: 100 });
    for (let partition = 0; partition < 5; partition += 1)
      accumulator.add(pending(partition, `p${partition}`, 60));
    expect(namesOf(accumulator.take(all))).toEqual(["p0", "p1"]);
  });

  test("a partition under way is not taken again before it is released", () => {
    const accumulator = new Accumulator(LIMITS);
    accumulator.add(pending(0, "first"));
    const [batch] = accumulator.take(all);
    accumulator.add(pending(0, "second"));
    expect(accumulator.take(all)).toEqual([]);
    if (batch !== undefined) accumulator.release(batch);
    expect(namesOf(accumulator.take(all))).toEqual(["second"]);
  });

  test("what waits for a partition that is under way, or refused, makes no request worth sending", () => {
    const accumulator = new Accumulator({ ...LIMITS, maxRecordsPerPartition: 1 });
    for (const name of ["a", "b"]) accumulator.add(pending(0, name));
    const [batch] = accumulator.take(all);
    accumulator.add(pending(0, "c"));
    if (batch !== undefined) accumulator.putBack(batch);
    expect(accumulator.waiting).toBe(0);
    if (batch !== undefined) accumulator.release(batch, 1);
    expect(accumulator.waiting).toBe(3);
    expect(accumulator.take(all)).toMatchObject([{ failures: 1, records: [{ record: { key: "a" } }] }]);
  });

  test("what is put back goes out before what came later", () => {
    const accumulator = new Accumulator(LIMITS);
    for (const name of ["a", "b"]) accumulator.add(pending(0, name));
    const [batch] = accumulator.take(all);
    accumulator.add(pending(0, "c"));
    if (batch !== undefined) {
      accumulator.putBack(batch);
      accumulator.release(batch);
    }
    expect(namesOf(accumulator.take(all))).toEqual(["a", "b", "c"]);
  });

  test("records of a call that has already failed are left out", () => {
    const accumulator = new Accumulator(LIMITS);
    const given = pending(0, "given up");
    accumulator.add(given);
    accumulator.add(pending(0, "wanted"));
    given.delivery.settled = true;
    expect(namesOf(accumulator.take(all))).toEqual(["wanted"]);
  });

  test("over any mix of sends, failures and successes each partition's records are written once and in order", () => {
    const action = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), partition: fc.nat({ max: 2 }) }),
      fc.record({ kind: fc.constant("take" as const) }),
      fc.record({ kind: fc.constant("end" as const), fails: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 150 }), (actions) => {
        const accumulator = new Accumulator({ ...LIMITS, maxRecordsPerPartition: 3 });
        const underWay: PartitionBatch[] = [];
        const written: number[][] = [[], [], []];
        let count = 0;
        const end = (fails: boolean): void => {
          const batch = underWay.shift();
          if (batch === undefined) return;
          if (fails) accumulator.putBack(batch);
          else written[batch.partition]?.push(...batch.records.map(({ record }) => Number(record.key)));
          accumulator.release(batch);
        };
        for (const step of actions) {
          if (step.kind === "add") accumulator.add(pending(step.partition, String(count++)));
          else if (step.kind === "take") underWay.push(...accumulator.take(all));
          else end(step.fails);
        }
        while (underWay.length > 0 || accumulator.waiting > 0) {
          underWay.push(...accumulator.take(all));
          end(false);
        }
        expect(written.flat()).toHaveLength(count);
        for (const numbers of written) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }),
    );
  });
});
