import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { createLifecycle } from "./lifecycle.ts";
import { createLogger } from "./logger.ts";

function lifecycleWith(graceMs: number) {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: "test", level: "info", stream });
  return { lifecycle: createLifecycle({ graceMs, logger, host: systemHost }), lines };
}

describe("the end of a service", () => {
  test("parts stop one after the other in the reverse order of their registration", async () => {
    const { lifecycle, lines } = lifecycleWith(5000);
    const order: string[] = [];
    lifecycle.onStop("producer", () => void order.push("producer"));
    lifecycle.onStop("runner", async () => {
      order.push("runner begins");
      await Promise.resolve();
      order.push("runner ends");
    });
    lifecycle.onStop("http", () => void order.push("http"));
    expect(await lifecycle.stop()).toBe(0);
    expect(order).toEqual(["http", "runner begins", "runner ends", "producer"]);
    expect(lines).toEqual([]);
  });

  test("a part that fails does not keep the others from stopping, and the status says so", async () => {
    const { lifecycle, lines } = lifecycleWith(5000);
    let stopped = false;
    lifecycle.onStop("producer", () => {
      stopped = true;
    });
    lifecycle.onStop("runner", () => Promise.reject(new Error("commit refused")));
    expect(await lifecycle.stop()).toBe(1);
    expect(stopped).toBe(true);
    expect(lines).toMatchObject([{ level: "error", part: "runner", err: { message: "commit refused" } }]);
  });

  test("a part that hangs is left behind when the grace time is over", async () => {
    const { lifecycle, lines } = lifecycleWith(20);
    lifecycle.onStop("hanging", () => new Promise<void>(() => undefined));
    expect(await lifecycle.stop()).toBe(1);
    expect(lines).toMatchObject([{ part: "hanging", msg: "part did not stop within the grace time" }]);
  });

  test("stopping twice is stopping once", async () => {
    const { lifecycle } = lifecycleWith(5000);
    let count = 0;
    lifecycle.onStop("once", () => {
      count += 1;
    });
    expect(await Promise.all([lifecycle.stop(), lifecycle.stop()])).toEqual([0, 0]);
    expect(count).toBe(1);
  });

  test("a failure ends everything with status 1 and one line", async () => {
    const { lifecycle, lines } = lifecycleWith(5000);
    lifecycle.fail(new Error("consumer is dead"));
    expect(await lifecycle.ended).toBe(1);
    expect(lines).toMatchObject([{ level: "fatal", err: { message: "consumer is dead" } }]);
    expect(lifecycle.stopping.aborted).toBe(true);
  });

  test("what is opened after the end began is closed at once", async () => {
    const { lifecycle } = lifecycleWith(5000);
    await lifecycle.stop();
    let closed = false;
    lifecycle.onStop("late", () => {
      closed = true;
    });
    expect(closed).toBe(true);
  });
});
