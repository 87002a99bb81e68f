import type { OutgoingRecord } from "#kafka";
import { Bench, type BenchProcess } from "./bench.fixture.ts";
import type { ClusterRequest, Decision, Faults } from "./faults.ts";

const BROKERS = 3;
const PARTITIONS = 4;
const FAULTS_END_MS = 40_000;
const DRAINED_WITHIN_MS = 90_000;
const MEMBERS = ["a", "b", "c"] as const;

/** Requests go wrong by chance, until a time. */
class ByChance implements Faults {
  readonly #bench: () => Bench;
  readonly #share: number;

  constructor(bench: () => Bench, share: number) {
    this.#bench = bench;
    this.#share = share;
  }

  decide({ api }: ClusterRequest): Decision {
    const { random, time } = this.#bench();
    if (time.nowMs > FAULTS_END_MS || !random.chance(this.#share)) return { kind: "pass" };
    const noticedAfterMs = random.between(50, 3_000);
    const one = random.between(0, 4);
    if (one === 0) return { kind: "lose_request", noticedAfterMs };
    if (one === 1) return { kind: "lose_answer", noticedAfterMs };
    if (one === 4 && api === "produce") return { kind: "leave_out", only: () => true };
    if (one === 2) return { kind: "delay", requestMs: random.between(10, 2_000) };
    return {
      kind: "refuse",
      error: api === "produce" ? "NOT_LEADER_FOR_PARTITION" : "NOT_COORDINATOR_FOR_GROUP",
    };
  }
}

/** A member that copies each record after a while. */
interface Copier {
  readonly process: BenchProcess;
  outstanding(): number;
}

/** A group that copies one topic into another while its world goes wrong; `findings` says which law was broken. */
export class Hunt {
  readonly #bench: Bench;
  readonly #members = new Map<string, Copier>();
  readonly #stored = new Set<string>();
  #started = 0;

  constructor(seed: number) {
    const faults = new ByChance(() => this.#bench, (seed % 5) * 0.01);
    this.#bench = new Bench(seed, { brokers: BROKERS, faults });
    this.#bench.topics(["in", "out"], PARTITIONS);
  }

  async findings(): Promise<string[]> {
    this.#write();
    for (const name of MEMBERS.slice(0, 2)) this.#start(name);
    while (this.#bench.time.nowMs < FAULTS_END_MS) {
      await this.#bench.pass(this.#bench.random.between(50, 4_000));
      this.#goWrong();
    }
    for (let broker = 1; broker <= BROKERS; broker += 1) this.#bench.cluster.bringBroker(broker);
    for (const name of MEMBERS) {
      this.#members.get(name)?.process.host.thaw();
      this.#start(name);
    }
    await this.#drain();
    return [...this.#lost(), ...this.#commitsGoneBack(), ...this.#left()];
  }

  #write(): void {
    const { kafka } = this.#bench.process("writer");
    const producer = kafka.producer({ deliveryTimeoutMs: Number.POSITIVE_INFINITY });
    const host = this.#bench.host("writing");
    let written = 0;
    const timer = host.setInterval(() => {
      if (this.#bench.time.nowMs > FAULTS_END_MS) timer.clear();
      const keys = Array.from({ length: 3 }, () => `k${++written}`);
      const records = keys.map((key): OutgoingRecord => ({ topic: "in", key, value: Buffer.from(key) }));
      void producer.send(records).then(() => {
        for (const key of keys) this.#stored.add(key);
      });
    }, 200);
  }

  #start(name: string): void {
    if (this.#members.has(name)) return;
    this.#started += 1;
    const process = this.#bench.process(name);
    const { kafka, host } = process;
    const random = this.#bench.random.split(`work ${this.#started}`);
    const runner = kafka.runner<string>({
      groupId: "g",
      topics: ["in"],
      producer: kafka.producer({ deliveryTimeoutMs: Number.POSITIVE_INFINITY }),
      decode: ({ value }) => String(value),
      step: ({ key, value }, settle, claim) => {
        const copy = (): void => {
          if (claim.isOurs) settle({ produce: [{ topic: "out", key, value }] });
          else claim.giveBack();
        };
        host.setTimeout(copy, random.chance(0.05) ? 5_000 : random.between(1, 200));
      },
      deadLetter: () => [],
      maxOutstandingRecords: 20,
      maxOutstandingBytes: 10_000_000,
    });
    void runner.start();
    this.#members.set(name, { process, outstanding: () => runner.outstanding.records });
  }

  #goWrong(): void {
    const { cluster, random } = this.#bench;
    const name = random.pick(MEMBERS);
    const member = this.#members.get(name);
    const broker = random.between(1, BROKERS);
    const kinds = [
      () => this.#kill(name),
      () => this.#start(name),
      () => member?.process.host.freeze(),
      () => member?.process.host.thaw(),
      () => cluster.moveLeaders(({ partition }) => partition === random.between(0, PARTITIONS - 1)),
      () => cluster.takeBroker(broker),
      () => cluster.bringBroker(broker),
      () => cluster.moveCoordinators(broker),
      () => cluster.cut(name),
      () => cluster.heal(name),
    ] as const;
    random.pick(kinds)();
  }

  #kill(name: string): void {
    this.#members.get(name)?.process.kill();
    this.#members.delete(name);
  }

  async #drain(): Promise<void> {
    const untilMs = this.#bench.time.nowMs + DRAINED_WITHIN_MS;
    for (const name of ["writer", ...MEMBERS]) this.#bench.cluster.heal(name);
    while (this.#bench.time.nowMs < untilMs && (this.#left().length > 0 || this.#lost().length > 0))
      await this.#bench.pass(1_000);
  }

  #lost(): string[] {
    const copied = new Set(this.#bench.cluster.records("out").flatMap((of) => of.map(({ key }) => key)));
    return [...this.#stored].filter((key) => !copied.has(key)).map((key) => `${key} is not copied`);
  }

  /** A place that was given up because it was out of range would be one too: here nothing is removed. */
  #commitsGoneBack(): string[] {
    return this.#bench.cluster.commits
      .filter(({ before = 0, offset }) => offset < before)
      .map(
        ({ atMs, before, memberId, offset, partition }) =>
          `${memberId} commits ${offset} of ${partition} at ${atMs} after ${before}`,
      );
  }

  #left(): string[] {
    const committed = this.#bench.cluster.committed("g", "in");
    const behind = this.#bench.cluster
      .bounds("in")
      .flatMap(({ high }, partition) =>
        (committed.get(partition) ?? 0) === high ? [] : [`partition ${partition} is behind`],
      );
    const open = [...this.#members]
      .filter(([, { outstanding }]) => outstanding() > 0)
      .map(([name]) => `${name} has records in hand`);
    return [...behind, ...open];
  }
}
