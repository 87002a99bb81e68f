import { describe, expect, test } from "@jest/globals";
import { answering, createTraffic, type Fate, hanging } from "../fixtures/traffic.ts";

const HEALTHY = Array.from({ length: 10 }, (_, index) => `healthy${index}`);
const isDelivered = ({ outcome }: Fate) => outcome?.kind === "success";

describe("endpoints beside each other in one process", () => {
  test("200 that all begin to hang at once never fill it, and the healthy half of the traffic sees nothing of them", () => {
    const maxHeld = 2_000;
    const { endpoints, flow, mostHeld, of, run } = createTraffic({ maxHeld });
    const others = Array.from({ length: 200 }, (_, index) => `other${index}`);
    for (const endpoint of HEALTHY) flow(endpoint, 200, 15_000);
    for (const endpoint of others) flow(endpoint, 10, 15_000);
    run(5_000);
    for (const endpoint of others) endpoints.set(endpoint, hanging);
    run(15_000);
    expect(mostHeld()).toBeLessThan(maxHeld);
    const healthy = HEALTHY.flatMap((endpoint) => of(endpoint));
    expect(healthy.filter(isDelivered)).toHaveLength(30_000);
    const latenciesMs = healthy.map(({ endedAtMs = 0, enteredAtMs }) => endedAtMs - enteredAtMs);
    expect(Math.max(...latenciesMs)).toBeLessThan(20);
  });

  test("one that hangs with nine tenths of the traffic does not fill it either", () => {
    const maxHeld = 2_000;
    const { endpoints, flow, mostHeld, of, run } = createTraffic({ maxHeld });
    endpoints.set("huge", hanging);
    flow("huge", 3_600, 10_000);
    for (const endpoint of HEALTHY) flow(endpoint, 40, 10_000);
    run(16_000);
    expect(mostHeld()).toBeLessThan(maxHeld);
    expect(HEALTHY.flatMap((endpoint) => of(endpoint)).every(isDelivered)).toBe(true);
  });

  test("ten that need 4.9 s hold no more than half of it", () => {
    const maxHeld = 1_000;
    const { endpoints, flow, mostHeld, run } = createTraffic({ maxHeld });
    for (let index = 0; index < 10; index += 1) {
      endpoints.set(`slow${index}`, answering(4_900));
      flow(`slow${index}`, 50, 60_000);
    }
    run(60_000);
    expect(mostHeld()).toBeLessThanOrEqual(maxHeld / 2 + 20);
  });

  test("are not blamed for a process that is slow itself: nothing is diverted, reading pauses instead", () => {
    const { endpoints, fates, flow, queues, process, run } = createTraffic();
    process.isBusy = true;
    for (const endpoint of HEALTHY) {
      endpoints.set(endpoint, answering(600));
      flow(endpoint, 60, 10_000);
    }
    let hadEnough = false;
    for (let step = 0; step < 100; step += 1) {
      run(100);
      hadEnough ||= queues.hasEnough;
    }
    process.isBusy = false;
    run(10_000);
    expect(hadEnough).toBe(true);
    expect(fates.filter(({ diverted }) => diverted === "crowded")).toEqual([]);
    expect(queues.hasEnough).toBe(false);
  });

  test("get no further places from a process that is busy with what is under way already, but for slow ones", () => {
    const { endpoints, flow, queues, process, run } = createTraffic();
    process.isBusy = true;
    run(200);
    for (let index = 0; index < 20; index += 1) {
      endpoints.set(`quick${index}`, answering(100));
      flow(`quick${index}`, 200, 5_000);
    }
    run(5_000);
    expect(queues.inFlight).toBeLessThanOrEqual(20 * 16);
    endpoints.set("slow", answering(4_000));
    flow("slow", 30, 60_000);
    run(60_000);
    expect(queues.inFlight).toBeGreaterThan(60);
  });

  test("that become twenty times slower, and still answer, get more places before anything is diverted", () => {
    const { endpoints, fates, flow, run } = createTraffic();
    endpoints.set("shifted", answering(5));
    flow("shifted", 600, 60_000);
    run(20_000);
    endpoints.set("shifted", answering(100));
    run(41_000);
    expect(fates.filter((fate) => !isDelivered(fate))).toEqual([]);
  });

  test("are not blamed for a process that stood still", () => {
    const { fates, queues, now, run, send } = createTraffic();
    for (let count = 0; count < 20; count += 1) send("a");
    for (let stop = 1; stop <= 3; stop += 1) queues.sweep(now() + stop * 60_000, false);
    send("a");
    run(1_000);
    expect(fates.every(isDelivered)).toBe(true);
  });
});
