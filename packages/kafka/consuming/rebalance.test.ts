import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { msOf, shortest } from "#support/shortest";
import { until } from "#support/until";
import {
  names,
  record,
  runnerOptions,
  type ScratchKafka,
  scratchKafka,
  startRunner,
  useScratchKafka,
} from "../fixtures/scratch-kafka.ts";
import type { Runner, RunnerOptions } from "../runner-types.ts";
import type { Producer } from "../types.ts";

let brokers: readonly string[];
let scratch: ScratchKafka;
/** Further clients, as other processes would have them. */
let others: ScratchKafka[];
let producer: Producer;
const children: ChildProcess[] = [];

// Runners close before the scratch Kafka does.
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const other of others) await other.close();
});

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

beforeEach(() => {
  others = [];
  producer = scratch.kafka.producer();
});

function soon<T>(condition: () => T | Promise<T>, what: string, timeoutMs = 60_000): Promise<unknown> {
  return until(condition, { timeoutMs, what, pollMs: 10 });
}

/** Starts a member of the group with connections of its own. */
function startMember(options: RunnerOptions<string>): Promise<Runner> {
  const other = scratchKafka(brokers);
  others.push(other);
  return startRunner(other, options);
}

function partitionsOf(runner: Runner, topic: string): number[] {
  const ofTopic = runner.assigned.filter((partition) => partition.topic === topic);
  return ofTopic.map(({ partition }) => partition).sort((a, b) => a - b);
}

describe("rebalance", () => {
  test("partition p of every topic meets in one member, and few move when a member comes (fact 12)", async () => {
    const topics = await scratch.topics(["jobs", "retry-10s", "retry-1m"], 6);
    const [jobs = "", ...retries] = topics;
    const options = runnerOptions(scratch, { topics, producer });
    const first = await startMember(options);
    const second = await startMember(options);
    await soon(() => first.assigned.length === 9 && second.assigned.length === 9, "half for each of two");
    const before = [first, second].map((member) => partitionsOf(member, jobs));
    const third = await startMember(options);
    await soon(
      () => [first, second, third].every(({ assigned }) => assigned.length === 6),
      "a third for each of three",
    );
    for (const member of [first, second, third]) {
      for (const retry of retries) expect(partitionsOf(member, retry)).toEqual(partitionsOf(member, jobs));
    }
    [first, second].forEach((member, index) => {
      for (const partition of partitionsOf(member, jobs)) expect(before[index]).toContain(partition);
    });
  });

  test("a topic that only a restarted member reads is its own, though the leader stays and never knew of it", async () => {
    const [jobs = "", before = ""] = await scratch.topics(["jobs", "retry-10s"], 6);
    const options = (...topics: string[]) => runnerOptions(scratch, { topics, producer });
    const leader = await startMember(options(jobs, before));
    const old = await startMember(options(jobs, before));
    await soon(() => leader.assigned.length === 6 && old.assigned.length === 6, "half for each of two");
    const [added = ""] = await scratch.topics(["retry-2m"], 6);
    await old.stop(5_000);
    const restarted = await startMember(options(jobs, added));
    await soon(() => partitionsOf(restarted, added).length === 6, "the added topic");
    await soon(() => partitionsOf(leader, before).length === 6, "the removed one");
    // Each member learns its own share with an answer of its own.
    const halves = () => [leader, restarted].every((member) => partitionsOf(member, jobs).length === 3);
    await soon(halves, "half of the jobs for each of two");
    expect(partitionsOf(leader, added)).toEqual([]);
  });

  test("while members come and go every record is stepped, once", async () => {
    const [topic = ""] = await scratch.topics(["in"], 6);
    const steps = new Map<string, number>();
    const member = (): RunnerOptions<string> =>
      runnerOptions(scratch, {
        topics: [topic],
        producer,
        step: ({ decoded }, settle) => {
          steps.set(decoded, (steps.get(decoded) ?? 0) + 1);
          setTimeout(() => settle({ produce: [] }), 5);
        },
      });
    const first = await startMember(member());
    let isSending = true;
    let [sent, slowestMs] = [0, 0];
    const sending = (async () => {
      while (isSending) {
        const fifty = names(`${sent}-`, 50).map((value, i) => record(topic, `key-${i}`, value));
        slowestMs = Math.max(slowestMs, await msOf(() => producer.send(fifty)));
        sent += 50;
      }
    })();
    const second = await startMember(member());
    await soon(() => second.assigned.length === 3, "the second's share");
    const third = await startMember(member());
    await soon(() => third.assigned.length === 2, "the third's share");
    await second.stop(5_000);
    await soon(
      () => first.assigned.length === 3 && third.assigned.length === 3,
      "the second's share for the others",
    );
    isSending = false;
    await sending;
    await soon(() => steps.size === sent, "all records");
    // A member joins without a commit that Kafka takes half a second for: what is not in it is stepped again.
    if (slowestMs < 500) expect([...steps].filter(([, count]) => count !== 1)).toEqual([]);
  });

  test("a partition with slow work moves when that has ended: nothing is stepped twice, and quick work goes on", async () => {
    const [topic = ""] = await scratch.topics(["in"], 6);
    const steps = new Map<string, number>();
    const member = (): RunnerOptions<string> =>
      runnerOptions(scratch, {
        topics: [topic],
        producer,
        // As long as a machine that stands still now and then may take for the slow work.
        movesWithinMs: 30_000,
        step: ({ decoded }, settle) => {
          steps.set(decoded, (steps.get(decoded) ?? 0) + 1);
          setTimeout(() => settle({ produce: [] }), decoded.startsWith("slow") ? 3_000 : 5);
        },
      });
    const first = await startMember(member());
    const sent = names("slow-", 60);
    await producer.send(sent.map((value, i) => record(topic, `key-${i}`, value)));
    await soon(() => steps.size === sent.length, "slow work in every partition");
    const second = await startMember(member());
    const quick = names("quick-", 60);
    await producer.send(quick.map((value, i) => record(topic, `key-${i}`, value)));
    await soon(() => first.assigned.length === 3 && second.assigned.length === 3, "half for each of two");
    await soon(() => steps.size === sent.length + quick.length, "all records");
    expect([...steps].filter(([, count]) => count !== 1)).toEqual([]);
  });

  test("a killed member's partitions move within 8 s, and nothing of them is lost", async () => {
    const [input = "", output = ""] = await scratch.topics(["in", "out"], 6);
    const groupId = `${scratch.prefix}group`;
    const survivor = await startMember(
      runnerOptions(scratch, {
        topics: [input],
        producer,
        step: ({ key, value }, settle) => settle({ produce: [{ topic: output, key, value }] }),
      }),
    );
    const arrived = new Set<string>();
    await startMember(
      runnerOptions(scratch, {
        groupId: `${scratch.prefix}out`,
        topics: [output],
        producer,
        step: ({ decoded }, settle) => {
          arrived.add(decoded);
          settle({ produce: [] });
        },
      }),
    );
    const settings = JSON.stringify({ brokers, groupId, input, output });
    const program = join(import.meta.dirname, "../fixtures/consumer-process.ts");
    let errors = "";
    const sent: string[] = [];
    const send = async (count: number): Promise<void> => {
      const values = names(`${sent.length}-`, count);
      sent.push(...values);
      await producer.send(values.map((value, i) => record(input, `key-${i}`, value)));
    };
    const msUntilMoved = async (): Promise<number> => {
      const child = spawn(process.execPath, [program, settings], { stdio: ["ignore", "ignore", "pipe"] });
      children.push(child);
      child.stderr.on("data", (chunk: Buffer) => {
        errors += chunk.toString();
      });
      await soon(() => survivor.assigned.length === 3, "the child's share");
      await send(500);
      child.kill("SIGKILL");
      const killedMs = performance.now();
      await send(500);
      await soon(() => survivor.assigned.length === 6, "the killed member's partitions");
      return performance.now() - killedMs;
    };
    expect(await shortest(msUntilMoved)).toBeLessThan(8_000);
    await soon(() => arrived.size === sent.length, "all records");
    // A consumer with connections of the client's own prints one warning a connection on current Node (fact 3).
    expect(errors).toBe("");
  }, 180_000);
});
