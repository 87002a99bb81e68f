import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { Capacity } from "./capacity.ts";

const host = new TestHost();
let capacity: Capacity;
let woken: string[];
const waiter = (name: string) => ({ onRoom: () => void woken.push(name) });

beforeEach(() => {
  capacity = new Capacity(3, 100, host);
  woken = [];
});

describe("room for what is taken and not settled", () => {
  test("is bounded in records and in bytes, and empty room holds anything", async () => {
    const one = waiter("one");
    expect([capacity.tryTake(100, one), capacity.tryTake(1, one)]).toEqual([true, false]);
    capacity.release(100);
    expect(capacity.outstanding).toEqual({ records: 0, bytes: 0 });
    expect(capacity.tryTake(1_000, one)).toBe(true);
    expect(capacity.tryTake(0, one)).toBe(false);
    capacity.release(1_000);
    expect([1, 2, 3, 4].map(() => capacity.tryTake(1, one))).toEqual([true, true, true, false]);
    expect(capacity.outstanding).toEqual({ records: 3, bytes: 3 });
    await host.advance(0);
  });

  test("is reported in a later turn, once, in the order of waiting, and to nobody who no longer waits", async () => {
    for (let count = 0; count < 3; count += 1) capacity.tryTake(1, waiter("none"));
    const [one, two, three] = ["one", "two", "three"].map(waiter);
    for (const each of [one, two, three]) if (each !== undefined) capacity.tryTake(1, each);
    if (two !== undefined) capacity.forget(two);
    capacity.release(1);
    capacity.release(1);
    expect(woken).toEqual([]);
    await host.advance(0);
    expect(woken).toEqual(["one", "three"]);
    capacity.release(1);
    await host.advance(0);
    expect(woken).toEqual(["one", "three"]);
    capacity.tryTake(100, waiter("none"));
    capacity.tryTake(1, waiter("four"));
    capacity.release(100);
    await host.advance(0);
    expect(woken.at(-1)).toBe("four");
  });

  test("is empty when work ahead of a record's turn has ended, too, which takes no room", async () => {
    const ends = [capacity.early(), capacity.early()];
    expect(capacity.outstanding).toEqual({ records: 0, bytes: 0 });
    capacity.tryTake(1, waiter("none"));
    let isEmpty = false;
    void capacity.empty().then(() => {
      isEmpty = true;
    });
    ends[0]?.();
    capacity.release(1);
    await host.advance(0);
    expect(isEmpty).toBe(false);
    ends[1]?.();
    await host.advance(0);
    expect(isEmpty).toBe(true);
  });

  test("is empty when the last one is settled, and not before", async () => {
    await capacity.empty();
    capacity.tryTake(1, waiter("none"));
    capacity.tryTake(1, waiter("none"));
    const emptied: string[] = [];
    for (const name of ["one", "two"]) void capacity.empty().then(() => emptied.push(name));
    capacity.release(1);
    await host.advance(0);
    expect(emptied).toEqual([]);
    capacity.release(1);
    await host.advance(0);
    expect(emptied).toEqual(["one", "two"]);
  });
});
