import { beforeEach, describe } from "@jest/globals";
import type { Cluster } from "#kafka";
import { type ConformanceBench, describeConformance } from "../kafka-conformance/index.ts";
import { Bench } from "./fixtures/bench.ts";

/** The simulated cluster, whose time the facts move. */
function simulated(): ConformanceBench {
  // As many brokers as the stack of the tests has.
  const bench = new Bench(1, { brokers: 1 });
  const clusters = new Map<string, Cluster>();
  let named = 0;
  const name = (): string => {
    named += 1;
    return `c${named}`;
  };
  return {
    cluster(process) {
      const cluster = clusters.get(process) ?? bench.cluster.clusterFor(process, bench.host(process));
      clusters.set(process, cluster);
      return cluster;
    },
    async topic(partitions, settings = {}) {
      const topic = { name: name(), partitions, replicationFactor: 1, settings };
      await bench.settled(this.cluster("admin").admin.createTopics([topic]));
      return topic.name;
    },
    groupId: name,
    nowMs: () => bench.time.nowMs,
    pass: (ms) => bench.pass(ms),
    async until(holds, what) {
      const deadlineMs = bench.time.nowMs + 40_000;
      while (!(await holds())) {
        if (bench.time.nowMs > deadlineMs) throw new Error(`waited in vain for ${what}`);
        await bench.pass(10);
      }
    },
    settled: (promise) => bench.settled(promise),
    removeBefore: async (partition, offset) => bench.cluster.removeBefore(partition, offset),
    compact: async () => bench.cluster.cleanLogs(),
    forget: async (groupId) => bench.cluster.forgetGroup(groupId),
  };
}

let bench: ConformanceBench;

beforeEach(() => {
  bench = simulated();
});

describe("the simulated cluster", () => {
  describeConformance(() => bench);
});
