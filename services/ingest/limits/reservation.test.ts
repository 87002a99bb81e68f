import { describe, expect, test } from "@jest/globals";
import { Reservation, type Room } from "./reservation.ts";

const roomOf = (maxBytes: number): Room => ({
  maxBytes,
  maxBytesOfSource: maxBytes / 2,
  heldBytes: 0,
  ofSource: new Map(),
});

describe("what requests hold", () => {
  test("one source gets its share, others the rest; all is given back", () => {
    const room = roomOf(100);
    const held = ["a", "a", "b"].map((source) => {
      const reservation = new Reservation(room);
      expect(reservation.grow(10)).toBe(true);
      expect(reservation.assign(source)).toBe(true);
      return reservation;
    });
    const [first, second, other] = held;
    expect(first?.grow(30)).toBe(true);
    expect(second?.grow(1)).toBe(false);
    expect(second?.isOverShare).toBe(true);
    expect(other?.grow(30)).toBe(true);
    expect(room.heldBytes).toBe(90);
    for (const reservation of held) {
      reservation.release();
      reservation.release();
    }
    expect(room).toMatchObject({ heldBytes: 0, ofSource: new Map() });
  });

  test("a request that finds its source at its share is not counted as its", () => {
    const room = roomOf(100);
    const first = new Reservation(room);
    first.grow(50);
    first.assign("a");
    const second = new Reservation(room);
    expect(second.grow(1)).toBe(true);
    expect([second.assign("a"), second.isOverShare]).toEqual([false, true]);
    second.release();
    expect(room).toMatchObject({ heldBytes: 50, ofSource: new Map([["a", 50]]) });
  });

  test("a request alone may have more than the share and the room, and leaves others none", () => {
    const room = roomOf(100);
    const [alone, other] = [new Reservation(room), new Reservation(room)];
    alone.assign("a");
    expect([alone.grow(90), alone.grow(11), other.grow(1), other.isOverShare]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    alone.release();
    other.grow(1);
    expect([alone.grow(100), alone.isOverShare]).toEqual([false, false]);
  });
});
