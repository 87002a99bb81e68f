import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { BrokerInFlight } from "./broker-in-flight.ts";

let host: TestHost;
let opened: number;
let brokers: BrokerInFlight;

beforeEach(() => {
  host = new TestHost();
  opened = 0;
  brokers = new BrokerInFlight(
    2,
    () => {
      opened += 1;
    },
    host,
  );
});

describe("requests to brokers", () => {
  test("are so many at a time for each of them", () => {
    brokers.enter(1);
    expect([brokers.isOpen(1), brokers.inFlight]).toEqual([true, 1]);
    brokers.enter(1);
    brokers.enter(2);
    expect([brokers.isOpen(1), brokers.isOpen(2), brokers.inFlight]).toEqual([false, true, 3]);
    brokers.leave(1);
    expect([brokers.isOpen(1), brokers.inFlight]).toEqual([true, 2]);
  });

  test("pause after a failure, longer with each in a row, and report when they may go on", async () => {
    const pausesMs: number[] = [];
    for (let failures = 1; failures <= 6; failures += 1) {
      expect(brokers.failed(1)).toBe(failures);
      let pauseMs = 0;
      while (!brokers.isOpen(1)) {
        await host.advance(10);
        pauseMs += 10;
      }
      pausesMs.push(pauseMs);
      expect(opened).toBe(failures);
    }
    expect(pausesMs).toEqual([50, 100, 200, 400, 800, 1_000]);
    expect(brokers.isOpen(2)).toBe(true);
  });

  test("count failures from zero after a success", async () => {
    brokers.failed(1);
    brokers.failed(1);
    brokers.succeeded(1);
    expect(brokers.failed(1)).toBe(1);
  });

  test("pause from the last failure on, and tell of nothing after the end", async () => {
    brokers.failed(1);
    await host.advance(40);
    brokers.failed(1);
    await host.advance(60);
    expect([brokers.isOpen(1), opened]).toEqual([false, 0]);
    await host.advance(40);
    expect([brokers.isOpen(1), opened]).toEqual([true, 1]);
    brokers.failed(1);
    brokers.failed(2);
    brokers.close();
    await host.advance(60_000);
    expect(opened).toBe(1);
  });
});
