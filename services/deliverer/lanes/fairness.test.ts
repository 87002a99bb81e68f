import { describe, expect, test } from "@jest/globals";
import { answering, createTraffic, type Fate, hanging } from "./traffic.fixture.ts";

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
});
