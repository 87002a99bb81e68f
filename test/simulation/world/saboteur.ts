import type { Fault, FaultKind } from "../plan/plan.ts";
import type { Fleet } from "./fleet.ts";
import { DISTURBS_EVERY_MS } from "./history.ts";
import type { World } from "./world.ts";

/** How a fault of one kind begins and ends. */
type Deed<K extends FaultKind["kind"]> = (
  fault: Fault & Extract<FaultKind, { kind: K }>,
  world: World,
  fleet: Fleet,
) => void;

type Deeds = { readonly [K in FaultKind["kind"]]: { readonly begin: Deed<K>; readonly end: Deed<K> } };

/** A world is over within a minute: what is late in it is so by less, as in the product by less than the hour for which profiles are kept. */
const LONGEST_LAG_MS = 20_000;

const DEEDS: Deeds = {
  kill: {
    begin({ afterEvents, losesDisk, target }, world, fleet) {
      if (losesDisk) world.loseDisk(target);
      fleet.kill(target, afterEvents);
    },
    end: ({ target }, _, fleet) => fleet.startAgain(target),
  },
  power: {
    begin({ afterEvents, target }, world, fleet) {
      fleet.kill(target, afterEvents, () => world.disk(target).loseUnflushed());
    },
    end: ({ target }, _, fleet) => fleet.startAgain(target),
  },
  stop: {
    begin: ({ target }, _, fleet) => fleet.stop(target),
    end: ({ target }, _, fleet) => fleet.startAgain(target),
  },
  freeze: {
    begin: ({ target }, _, fleet) => fleet.get(target)?.host.freeze(),
    end: ({ target }, _, fleet) => fleet.get(target)?.host.thaw(),
  },
  cut: {
    begin: ({ target }, { cluster }) => cluster.cut(target),
    end: ({ target }, { cluster }) => cluster.heal(target),
  },
  clock: {
    begin: ({ byMs, target }, _, fleet) => fleet.get(target)?.host.jump(byMs),
    end: ({ byMs, target }, _, fleet) => fleet.get(target)?.host.jump(-byMs),
  },
  full_disk: {
    begin({ target }, world) {
      world.disk(target).isFull = true;
    },
    end({ target }, world) {
      world.disk(target).isFull = false;
    },
  },
  leaders: {
    begin: (_, { cluster }) => cluster.moveLeaders(),
    end: (_, { cluster }) => cluster.moveLeaders(),
  },
  broker: {
    begin: ({ broker }, { cluster }) => cluster.takeBroker(broker),
    end: ({ broker }, { cluster }) => cluster.bringBroker(broker),
  },
  registry: {
    begin(_, { registry }) {
      registry.isAway = true;
    },
    end(_, { registry }) {
      registry.isAway = false;
    },
  },
  retention: {
    begin: ({ keptRecords, topic }, world) => world.removeRecords(topic, keptRecords),
    end: () => undefined,
  },
  unclean_election: {
    begin: ({ lostRecords, topic }, world) => world.electUncleanly(topic, lostRecords),
    end: () => undefined,
  },
  lost_commits: {
    begin: ({ commits, groupId }, world) => world.loseCommits(groupId, commits),
    end: () => undefined,
  },
  compaction: {
    begin: (_, { cluster }) => cluster.cleanLogs(LONGEST_LAG_MS),
    end: () => undefined,
  },
  requests: {
    begin: (fault, { requestFaults }) => requestFaults.begin(fault),
    end: (fault, { requestFaults }) => requestFaults.end(fault),
  },
};

/** Makes go wrong what the plan says. */
export class Saboteur {
  readonly #world: World;
  readonly #fleet: Fleet;

  constructor(world: World, fleet: Fleet) {
    this.#world = world;
    this.#fleet = fleet;
  }

  begin(): void {
    for (const fault of this.#world.plan.faults) {
      this.#plan(fault, "begin", fault.atMs);
      this.#plan(fault, "end", fault.atMs + fault.forMs);
    }
  }

  #plan<K extends FaultKind["kind"]>(
    fault: Fault & Extract<FaultKind, { kind: K }>,
    what: "begin" | "end",
    atMs: number,
  ): void {
    this.#world.time.after(atMs, () => {
      this.#say(fault, what);
      if (what === "begin") this.#disturb(fault);
      DEEDS[fault.kind][what](fault, this.#world, this.#fleet);
    });
  }

  #say(fault: Fault, what: string): void {
    const target = "target" in fault ? ` of ${fault.target}` : "";
    this.#world.trace.add("faults", `${fault.id}: ${fault.kind}${target} ${what}s`);
  }

  #disturb(fault: Fault): void {
    // What is removed costs no process what it has in hand.
    if (fault.kind === "retention" || fault.kind === "compaction") return;
    const { plan, time } = this.#world;
    const targets = "target" in fault ? [fault.target] : plan.processes.map(({ name }) => name);
    for (let atMs = 0; atMs <= fault.forMs + DISTURBS_EVERY_MS; atMs += DISTURBS_EVERY_MS) {
      time.after(Math.min(atMs, fault.forMs), () => {
        for (const target of targets) this.#world.disturb(target, fault.kind);
      });
    }
  }
}
