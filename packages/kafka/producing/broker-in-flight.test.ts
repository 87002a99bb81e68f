import { beforeEach, describe, expect, test } from "@jest/globals";
import { ManualHost } from "../fixtures/manual-host.ts";
import { BrokerLanes } from "./broker-in-flight.ts";

let host: ManualHost;
let opened: number;
let lanes: BrokerLanes;

beforeEach(() => {
  host = new ManualHost();
  opened = 0;
  lanes = new BrokerLanes(
    2,
    () => {
      opened += 1;
    },
    host,
  );
});

describe("requests to brokers", () => {
  test("are so many at a time for each of them", () => {
    lanes.enter(1);
    expect([lanes.isOpen(1), lanes.inFlight]).toEqual([true, 1]);
    lanes.enter(1);
    lanes.enter(2);
    expect([lanes.isOpen(1), lanes.isOpen(2), lanes.inFlight]).toEqual([false, true, 3]);
    lanes.leave(1);
    expect([lanes.isOpen(1), lanes.inFlight]).toEqual([true, 2]);
  });

  test("pause after a failure, longer with each in a row, and it is told when they may go on", async () => {
    const pausesMs: number[] = [];
    for (let failures = 1; failures <= 6; failures += 1) {
      expect(lanes.failed(1)).toBe(failures);
      let pauseMs = 0;
      while (!lanes.isOpen(1)) {
        await host.advance(10);
        pauseMs += 10;
      }
      pausesMs.push(pauseMs);
      expect(opened).toBe(failures);
    }
    expect(pausesMs).toEqual([50, 100, 200, 400, 800, 1_000]);
    expect(lanes.isOpen(2)).toBe(true);
  });

  test("count failures anew after a success", async () => {
    lanes.failed(1);
    lanes.failed(1);
    lanes.succeeded(1);
    expect(lanes.failed(1)).toBe(1);
  });

  test("pause from the last failure on, and tell of nothing after the end", async () => {
    lanes.failed(1);
    await host.advance(40);
    lanes.failed(1);
    await host.advance(60);
    expect([lanes.isOpen(1), opened]).toEqual([false, 0]);
    await host.advance(40);
    expect([lanes.isOpen(1), opened]).toEqual([true, 1]);
    lanes.failed(1);
    lanes.failed(2);
    lanes.close();
    await host.advance(60_000);
    expect(opened).toBe(1);
  });
});
