import { describe, expect, test } from "@jest/globals";
import { attempt as attemptRecord, destination } from "#support/records";
import type { DeliveryAttempt, DestinationConfig, DestinationHealth, OperationalEvent } from "#topics";
import { issueId } from "../../http/issue-id.ts";
import { disabled } from "./disable.ts";
import { HealthKeeper } from "./health-keeper.ts";

const S = 1_000;
const URL = "https://a.example/";

function config(changes: Partial<DestinationConfig> = {}): DestinationConfig {
  return destination({ id: "d", name: "Shop", webhooks: [{ url: URL, headers: [] }], ...changes });
}

function attempt(second: number, outcome: string): DeliveryAttempt {
  const ended = { outcome, message: outcome, status: null, startedAtMs: second * S, durationMs: 0 };
  return attemptRecord({ sequence: 0, destinationId: "d", url: URL, ...ended });
}

/** What happens outside the keeper, in its order; `configs` and `written` outlive a keeper, as Kafka does. */
class World {
  readonly configs = new Map<string, DestinationConfig>([["d", config()]]);
  readonly written = new Map<string, DestinationHealth>();
  /** What of it has been read back; all, unless held. */
  readonly readBack = new Map<string, DestinationHealth>();
  isReadingBack = true;
  readonly log: string[] = [];
  readonly events: OperationalEvent[] = [];
  nowMs = 0;
  /** Every call of this name is lost, as in a crash. */
  lost: "tell" | "write" | "disable" | undefined;
  /** Every call of this name waits. */
  held: { readonly name: "tell" | "write" | "disable"; readonly promise: Promise<void> } | undefined;
  #offset = 0;

  keeper(): HealthKeeper {
    return new HealthKeeper({
      rules: { failingAfterMs: 10 * S, recoveredAfterMs: 60 * S },
      destination: (id) => this.configs.get(id),
      written: (id) => this.readBack.get(id),
      write: (health) => this.#act("write", health.state, () => this.setWritten(health)),
      tell: (event) => this.#act("tell", event.type, () => this.events.push(event)),
      disable: async (judged, reason) => {
        const why = reason();
        if (why === undefined || this.configs.get("d")?.version !== judged.version) return undefined;
        const ended = disabled(judged, why, this.nowMs);
        await this.#act("disable", "", () => this.configs.set("d", ended));
        return ended;
      },
      onError: (error) => this.log.push(`error ${String(error)}`),
      nowMs: () => this.nowMs,
    });
  }

  setWritten(health: DestinationHealth): void {
    this.written.set("d", health);
    if (this.isReadingBack) this.readBack.set("d", health);
  }

  async #act(name: "tell" | "write" | "disable", what: string, effect: () => void): Promise<void> {
    if (this.lost === name) await new Promise(() => undefined);
    if (this.held?.name === name) await this.held.promise;
    effect();
    this.log.push(`${name} ${what}`.trim());
  }

  /** Each at its second, with offsets that go on; waits until what they lead to is through. */
  async see(keeper: HealthKeeper, ...seen: [second: number, outcome: string][]): Promise<void> {
    for (const [second, outcome] of seen) {
      this.nowMs = second * S;
      const offset = this.#offset;
      this.#offset += 1;
      keeper.seen({ partition: 0, offset, decoded: attempt(second, outcome) }, () =>
        this.log.push(`done ${offset}`),
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  rewind(offset: number): void {
    this.#offset = offset;
  }

  payloads() {
    return this.events.map(({ body }) => JSON.parse(body.toString()));
  }
}

const FAILURE: [number, string][] = [
  [0, "timeout"],
  [10, "timeout"],
];

describe("the keeper of health (contract 4.5)", () => {
  test("makes the event durable, then the state, then lets the offset be committed", async () => {
    const world = new World();
    await world.see(world.keeper(), [0, "timeout"], [10, "timeout"]);
    expect(world.log).toEqual([
      "write untested",
      "done 0",
      "tell destination.failing",
      "write failing",
      "done 1",
    ]);
    expect(world.payloads()).toEqual([
      {
        type: "destination.failing",
        timestamp: "1970-01-01T00:00:10.000Z",
        data: {
          destinationId: "d",
          name: "Shop",
          since: "1970-01-01T00:00:00.000Z",
          webhooks: [
            {
              webhookId: expect.stringMatching(/^whk_[0-9a-f]{12}$/),
              url: URL,
              issueId: issueId({ destinationId: "d", url: URL, reason: "timeout" }),
              failingSince: "1970-01-01T00:00:00.000Z",
              consecutiveFailures: 2,
              lastError: {
                at: "1970-01-01T00:00:10.000Z",
                outcome: "timeout",
                status: null,
                message: "timeout",
              },
            },
          ],
        },
      },
    ]);
  });

  test("remembers the end of a failure that was too short to be written", async () => {
    const world = new World();
    const keeper = world.keeper();
    await world.see(keeper, [0, "timeout"], [0.5, "success"], [0.6, "timeout"], [0.7, "success"]);
    await world.see(keeper, [20, "timeout"]);
    expect(world.events).toEqual([]);
  });

  test("tells of the recovery when it has lasted, by an attempt or by time alone", async () => {
    const world = new World();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE, [20, "success"]);
    expect(world.written.get("d")?.state).toBe("recovering");
    world.nowMs = 80 * S;
    keeper.tick(["d"], () => undefined);
    expect(world.events).toHaveLength(1);
    keeper.tick(["d"], () => 0);
    keeper.tick(["d"], () => 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.payloads()[1]).toMatchObject({
      type: "destination.recovered",
      data: { destinationId: "d", workingSince: "1970-01-01T00:00:20.000Z" },
    });
    expect(world.events).toHaveLength(2);
    expect(world.written.get("d")?.state).toBe("healthy");
  });

  test.each(["tell", "write"] as const)(
    "after a crash before the %s its successor makes the same event, once more at most",
    async (lost) => {
      const world = new World();
      const crashed = world.keeper();
      await world.see(crashed, [0, "timeout"]);
      world.lost = lost;
      await world.see(crashed, [10, "timeout"]);
      expect(world.log).not.toContain("done 1");
      world.lost = undefined;
      world.rewind(1);
      await world.see(world.keeper(), [10, "timeout"]);
      expect(new Set(world.events.map(({ id }) => id)).size).toBe(1);
      expect(world.written.get("d")?.state).toBe("failing");
      expect(world.log.at(-1)).toBe("done 1");
    },
  );

  test("writes the first success before its offset may be committed, and later ones never", async () => {
    const world = new World();
    await world.see(world.keeper(), [0, "success"], [1, "success"]);
    expect(world.log).toEqual(["write healthy", "done 0", "done 1"]);
    await world.see(world.keeper(), [2, "success"]);
    expect(world.log).toEqual(["write healthy", "done 0", "done 1", "done 2"]);
  });

  test("an attempt that is read again tells of nothing again", async () => {
    const world = new World();
    await world.see(world.keeper(), ...FAILURE);
    world.rewind(0);
    await world.see(world.keeper(), ...FAILURE);
    expect(world.events).toHaveLength(1);
  });

  test("keeps what it knows of a destination at rest until its record is read back", async () => {
    const world = new World();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE, [20, "success"]);
    world.isReadingBack = false;
    await world.see(keeper, [81, "success"]);
    expect([world.written.get("d")?.state, world.readBack.get("d")?.state]).toEqual([
      "healthy",
      "recovering",
    ]);
    keeper.tick([], () => undefined);
    await world.see(keeper, [82, "success"]);
    expect(world.events.map(({ type }) => type)).toEqual(["destination.failing", "destination.recovered"]);
  });

  test("knows of a destination at rest only what is written, once that is read back", async () => {
    const world = new World();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE);
    const failing = world.written.get("d");
    await world.see(keeper, [20, "success"], [81, "success"]);
    keeper.tick([], () => undefined);
    if (failing === undefined) throw new Error("it was written");
    world.setWritten(failing);
    await world.see(keeper, [82, "success"]);
    expect(world.written.get("d")?.state).toBe("recovering");
  });

  test("an attempt that leads to nothing waits for what earlier ones lead to", async () => {
    const world = new World();
    world.configs.set("d", config({ disableAfterMs: 30 * S }));
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE, [29.5, "timeout"]);
    const held = Promise.withResolvers<void>();
    world.held = { name: "disable", promise: held.promise };
    await world.see(keeper, [30, "timeout"]);
    world.configs.set("d", config({ version: 2, disableAfterMs: null }));
    await world.see(keeper, [30.1, "timeout"]);
    expect(world.log.at(-1)).toBe("done 2");
    held.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.log.slice(-2)).toEqual(["done 3", "done 4"]);
  });

  test("forgets partitions that were taken away, and reads what the other process wrote", async () => {
    const world = new World();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE);
    keeper.forget(new Set([0]));
    const failing = world.written.get("d");
    if (failing === undefined) throw new Error("it was written");
    world.setWritten({ ...failing, state: "healthy", webhooks: [] });
    await world.see(keeper, [12, "success"]);
    expect(world.log.at(-1)).toBe("done 2");
    expect(world.written.get("d")?.state).toBe("healthy");
  });
});

describe("disableAfter (contract 4.5)", () => {
  function asked(): World {
    const world = new World();
    world.configs.set("d", config({ disableAfterMs: 30 * S }));
    return world;
  }

  test("switches the destination off when it has failed for so long, and tells of it", async () => {
    const world = asked();
    await world.see(world.keeper(), ...FAILURE, [29, "timeout"], [30, "timeout"]);
    expect(world.configs.get("d")).toMatchObject({
      enabled: false,
      version: 2,
      disabledReason: expect.stringContaining("every attempt failed for 30s"),
    });
    expect(world.payloads()[1]).toMatchObject({
      type: "destination.disabled",
      data: { destinationId: "d", reason: expect.stringContaining("timeout") },
    });
    expect(world.log.slice(-4)).toEqual(["disable", "tell destination.disabled", "write failing", "done 3"]);
  });

  test("leaves it on when a call got through", async () => {
    const world = asked();
    await world.see(world.keeper(), ...FAILURE, [20, "success"], [21, "timeout"], [40, "timeout"]);
    expect(world.configs.get("d")?.enabled).toBe(true);
  });

  test("leaves it on when its configuration was changed meanwhile", async () => {
    const world = asked();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE);
    const judged = world.configs.get("d");
    world.nowMs = 40 * S;
    keeper.seen({ partition: 0, offset: 2, decoded: attempt(40, "timeout") }, () => undefined);
    world.configs.set("d", { ...config(), ...judged, version: 2, disableAfterMs: null });
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.configs.get("d")?.enabled).toBe(true);
  });

  test("tells of it after a crash between the switch and the event, once", async () => {
    const world = asked();
    const crashed = world.keeper();
    await world.see(crashed, ...FAILURE);
    world.lost = "tell";
    await world.see(crashed, [30, "timeout"]);
    expect(world.configs.get("d")?.enabled).toBe(false);
    world.lost = undefined;
    world.rewind(2);
    await world.see(world.keeper(), [30, "timeout"], [31, "timeout"]);
    expect(world.events.map(({ type }) => type)).toEqual(["destination.failing", "destination.disabled"]);
  });

  test("counts from zero when a person has switched it on again", async () => {
    const world = asked();
    const keeper = world.keeper();
    await world.see(keeper, ...FAILURE, [30, "timeout"]);
    const off = world.configs.get("d");
    const on = { enabled: true, enabledAtMs: 3_600 * S, disabledReason: null, version: 3 };
    world.configs.set("d", { ...config(), ...off, ...on });
    await world.see(keeper, [3_601, "timeout"], [3_629, "timeout"]);
    expect(world.configs.get("d")?.enabled).toBe(true);
    await world.see(keeper, [3_630, "timeout"]);
    expect(world.configs.get("d")?.enabled).toBe(false);
  });
});
