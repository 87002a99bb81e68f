// Tests the memory of a body while it is read, and how long the rest of a refused one is read.
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "@jest/globals";
import type { Host } from "#host";
import type { Reservation } from "../limits/reservation.ts";
import { discardBody, readBody } from "./read-body.ts";

const LIMIT = 32_768;

/** A request whose chunks the test hands over itself. */
function fakeRequest(headers: Record<string, string> = {}): IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage;
}

function counted(roomBytes = Number.POSITIVE_INFINITY) {
  const counts = { heldBytes: 0 };
  const reservation: Pick<Reservation, "grow"> = {
    grow(bytes) {
      if (counts.heldBytes + bytes > roomBytes) return false;
      counts.heldBytes += bytes;
      return true;
    },
  };
  return { counts, reservation: reservation as Reservation };
}

describe("a body in chunks of one byte", () => {
  test("is copied as it comes, no chunk is kept, and what is held is counted", async () => {
    const request = fakeRequest();
    const { counts, reservation } = counted();
    const reading = readBody(request, LIMIT, reservation);
    const text = "0123456789".repeat(400);
    const chunks = Array.from(text, (digit) => Buffer.from(digit));
    for (const chunk of chunks) request.emit("data", chunk);
    // A reader that kept a chunk finds zeros in it.
    for (const chunk of chunks) chunk.fill(0);
    request.emit("end");
    const read = await reading;
    expect(read).toMatchObject({ kind: "read" });
    const { bytes } = read as { bytes: Buffer };
    expect(bytes.toString()).toBe(text);
    expect(counts.heldBytes).toBe(bytes.buffer.byteLength);
    expect(counts.heldBytes).toBeLessThanOrEqual(2 * text.length);
  });

  test("is cut off after thousands of them: each costs what a hundred bytes do", async () => {
    const socket = new PassThrough();
    const request = Object.assign(fakeRequest(), { socket });
    const { reservation } = counted();
    const reading = readBody(request, LIMIT, reservation);
    for (let chunk = 0; chunk < 4_096; chunk += 1) request.emit("data", Buffer.alloc(1));
    expect(socket.destroyed).toBe(false);
    request.emit("data", Buffer.alloc(1));
    expect(await reading).toEqual({ kind: "aborted" });
    expect(socket.destroyed).toBe(true);
  });

  test("may have as many as it likes where they have some bytes", async () => {
    const request = fakeRequest();
    const { reservation } = counted();
    const reading = readBody(request, 500_000, reservation);
    for (let chunk = 0; chunk < 10_000; chunk += 1) request.emit("data", Buffer.alloc(32));
    request.emit("end");
    expect(await reading).toMatchObject({ kind: "read" });
  });

  test("never has a buffer larger than its limit", async () => {
    const request = fakeRequest();
    const { counts, reservation } = counted();
    const reading = readBody(request, LIMIT, reservation);
    for (let half = 0; half < 2; half += 1) request.emit("data", Buffer.alloc(LIMIT / 2));
    expect(counts.heldBytes).toBe(LIMIT);
    request.emit("data", Buffer.alloc(1));
    expect(await reading).toMatchObject({ kind: "refused", refusal: { kind: "invalid" } });
  });

  test("is refused when there is no room for the buffer's next size", async () => {
    const request = fakeRequest();
    const { counts, reservation } = counted(3_000);
    const reading = readBody(request, LIMIT, reservation);
    for (let chunk = 0; chunk < 2; chunk += 1) request.emit("data", Buffer.alloc(1_000));
    expect(await reading).toMatchObject({ kind: "refused", refusal: { reason: "waiting_bytes" } });
    expect(counts.heldBytes).toBeLessThanOrEqual(3_000);
  });

  test("counts a kilobyte at the least: a request takes that by itself", () => {
    const request = fakeRequest();
    const { counts, reservation } = counted();
    void readBody(request, LIMIT, reservation);
    request.emit("data", Buffer.from("{"));
    expect(counts.heldBytes).toBe(1_024);
  });
});

describe("the rest of a refused body", () => {
  /** A request on a connection of its own, and the time that passes there. */
  function refused() {
    const socket = new PassThrough();
    const request = Object.assign(new PassThrough(), {
      socket,
      complete: false,
    }) as unknown as IncomingMessage;
    const timers: { work: () => void; delayMs: number; cleared: boolean }[] = [];
    const host: Pick<Host, "setTimeout"> = {
      setTimeout(work, delayMs) {
        const timer = { work, delayMs, cleared: false };
        timers.push(timer);
        return {
          clear() {
            timer.cleared = true;
          },
        };
      },
    };
    discardBody(request, host);
    return { socket, request, timers };
  }

  test("is read up to 2 MB, then the connection is closed", () => {
    const { socket, request } = refused();
    for (let megabyte = 0; megabyte < 2; megabyte += 1) request.emit("data", Buffer.alloc(1_000_000));
    expect(socket.destroyed).toBe(false);
    request.emit("data", Buffer.alloc(1));
    expect(socket.destroyed).toBe(true);
  });

  test("in chunks of one byte is read for some thousands of them, then the connection is closed", () => {
    const { socket, request } = refused();
    for (let chunk = 0; chunk < 4_096; chunk += 1) request.emit("data", Buffer.alloc(1));
    expect(socket.destroyed).toBe(false);
    request.emit("data", Buffer.alloc(1));
    expect(socket.destroyed).toBe(true);
  });

  test("is waited for 5 s, then the connection is closed", () => {
    const { socket, timers } = refused();
    expect(timers).toMatchObject([{ delayMs: 5_000, cleared: false }]);
    timers[0]?.work();
    expect(socket.destroyed).toBe(true);
  });

  test.each(["its end", "the connection's end"])("is not waited for after %s", (what) => {
    const { socket, request, timers } = refused();
    if (what === "its end") request.emit("end");
    else socket.emit("close");
    expect(timers).toMatchObject([{ cleared: true }]);
  });
});
