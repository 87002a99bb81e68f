// Carries events out.
import { setTimeout as pause } from "node:timers/promises";
import { untilRecoveryMs } from "./behaviours.ts";
import type { ChaosEvent, Target } from "./events.ts";
import { startAfter } from "./fleet.ts";
import type { Disturbance } from "./ledger.ts";
import type { World } from "./world.ts";

function deliverers(count: number): Target[] {
  return Array.from({ length: count }, (_, index) => ({ service: "deliverer", index }));
}

async function scale({ fleet }: World, count: 1 | 3): Promise<void> {
  const [, ...others] = deliverers(3);
  if (count === 3) await Promise.all(others.map((target) => fleet.start(target)));
  else await Promise.all(others.map((target) => fleet.process(target).stop()));
}

async function withoutRegistry({ network, fleet }: World, target: Target, forMs: number): Promise<void> {
  network.registry.cut("reset");
  try {
    await fleet.process(target).kill();
    const started = fleet.start(target);
    // Whether it fails is told below, when the registry is back.
    started.catch(() => undefined);
    await pause(forMs);
    network.registry.mend();
    await started;
  } finally {
    network.registry.mend();
  }
}

async function carryOut(world: World, event: ChaosEvent): Promise<void> {
  const { fleet, network, stack } = world;
  switch (event.kind) {
    case "kill":
      await fleet.process(event.target).kill();
      return startAfter(fleet, event.target, event.backAfterMs);
    case "stop":
      await fleet.process(event.target).stop();
      return startAfter(fleet, event.target, event.backAfterMs);
    case "freeze":
      fleet.process(event.target).freeze();
      await pause(event.forMs);
      fleet.process(event.target).thaw();
      return;
    case "cut": {
      const link = network.detour(event.target.index);
      link.cut(event.how);
      await pause(event.forMs);
      link.mend();
      return;
    }
    case "scale":
      return scale(world, event.deliverers);
    case "broker":
      await stack.broker(event.broker)[event.how]();
      await pause(event.forMs);
      return stack.broker(event.broker).start();
    case "leaders":
      return world.moveLeaders(event.broker);
    case "registry":
      return withoutRegistry(world, event.target, event.forMs);
  }
}

/** Ends when the event is over: what was ended is ready again, what was cut is mended. */
export async function perform(world: World, event: ChaosEvent): Promise<Disturbance> {
  const process = "target" in event ? { process: world.fleet.nameOf(event.target) } : {};
  if (event.kind === "kill" && event.afterRecoveryMs !== undefined) {
    await pause(untilRecoveryMs(Date.now() - world.startedAtMs) + event.afterRecoveryMs);
  }
  const fromMs = Date.now();
  await carryOut(world, event);
  return { event, fromMs, toMs: Date.now(), ...process };
}
