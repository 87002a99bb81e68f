import type { Host } from "#host";
import type { RawRecord } from "#kafka";
import type { Brokers } from "./brokers.ts";
import { ClusterError } from "./errors.ts";
import type { ClusterRequest, Decision, Faults } from "./faults.ts";

/** As the product's client: client.ts. */
export const REQUEST_TIMEOUT_MS = 15_000;
const CONNECTION_TIMEOUT_MS = 3_000;

/** What the network and the cluster share. */
export interface Network {
  /** Of the cluster: what is on its way there goes on when its process does not. */
  readonly host: Host;
  readonly random: () => number;
  readonly brokers: Brokers;
  faults: Faults;
  onAppend(record: RawRecord, process: string): void;
}

/** A request that has no answer yet. */
interface Pending {
  readonly broker: number;
  /** Its connection broke: what is on its way arrives nowhere. */
  isBroken?: boolean;
  fail(error: ClusterError): void;
  /** There will be no answer. */
  lose?(): void;
}

/** A request as its process makes it. */
export type Asked = Omit<ClusterRequest, "process">;

/** What becomes of a decided request that reaches its broker. */
export type Reached = Extract<Decision, { kind: "pass" | "delay" | "lose_answer" | "refuse" | "leave_out" }>;

/**
 * One process's way to the brokers. Every request passes one decision; every answer comes as a timer of the process's host, so that
 * nothing reaches a process that is dead, and that a frozen one gets it when it goes on.
 */
export class Connection {
  readonly process: string;
  readonly host: Host;
  readonly #network: Network;
  readonly #pending = new Set<Pending>();
  #isDead = false;
  #isCut = false;

  constructor(network: Network, process: string, host: Host) {
    this.#network = network;
    this.process = process;
    this.host = host;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get brokers(): Brokers {
    return this.#network.brokers;
  }

  /** How long an answer is on its way, ms. */
  latencyMs(): number {
    return 1 + Math.floor(this.#network.random() * 4);
  }

  anyBroker(): number {
    return this.brokers.anyUp(this.#network.random);
  }

  random(): number {
    return this.#network.random();
  }

  decide(asked: Asked): Decision {
    return this.#network.faults.decide({ ...asked, process: this.process });
  }

  /** A broker has written it. */
  appended(record: RawRecord): void {
    this.#network.onAppend(record, this.process);
  }

  /** kill -9: none of its requests arrives any more, and none of its promises settles. */
  kill(): void {
    this.#isDead = true;
    this.#lose();
  }

  /** Nothing gets through, in neither direction; what is under way is given up when the client's patience ends. */
  cut(): void {
    this.#isCut = true;
    for (const pending of this.#lose()) {
      this.host.setTimeout(() => pending.fail(ClusterError.timedOut("a request")), REQUEST_TIMEOUT_MS);
    }
  }

  heal(): void {
    this.#isCut = false;
  }

  /** The broker is gone: its connections break. */
  broke(broker: number): void {
    for (const pending of [...this.#pending]) {
      if (pending.broker !== broker) continue;
      this.#pending.delete(pending);
      pending.isBroken = true;
      this.host.setTimeout(() => pending.fail(ClusterError.closed(broker)), this.latencyMs());
    }
  }

  /** Asks a broker. `work` is what the broker does; what it throws is its answer. */
  call<R>(asked: Asked, work: (reached: Reached) => R | Promise<R>): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    if (this.#isDead) return promise;
    const refusedInMs = this.#unreachableInMs(asked.broker);
    if (refusedInMs !== undefined) {
      this.host.setTimeout(() => reject(ClusterError.unreachable(asked.broker)), refusedInMs);
      return promise;
    }
    const decision = this.decide(asked);
    const pending: Pending = { broker: asked.broker, fail: reject };
    this.#pending.add(pending);
    if (decision.kind === "lose_request" || decision.kind === "lose_answer") {
      this.host.setTimeout(() => {
        this.#pending.delete(pending);
        reject(ClusterError.timedOut(asked.api));
      }, decision.noticedAfterMs ?? REQUEST_TIMEOUT_MS);
    }
    if (decision.kind === "lose_request") return promise;
    const answer = (act: () => void): void => this.#answer(pending, decision, act);
    const arrive = (): void => this.#arrive({ work: () => work(decision), resolve, reject, answer });
    if (decision.kind === "delay") this.#later(pending, arrive, decision.requestMs);
    else arrive();
    return promise;
  }

  /** Counts a wait among what is under way, until it is forgotten. Returns how to. */
  watch(pending: Pending): () => void {
    this.#pending.add(pending);
    return () => this.#pending.delete(pending);
  }

  /** Nothing that is under way is answered. */
  #lose(): Pending[] {
    const lost = [...this.#pending];
    this.#pending.clear();
    for (const pending of lost) pending.lose?.();
    return lost;
  }

  /** In how many ms a new request learns that it cannot be sent; undefined when it can. */
  #unreachableInMs(broker: number): number | undefined {
    if (this.#isCut) return CONNECTION_TIMEOUT_MS;
    return this.brokers.isUp(broker) ? undefined : this.latencyMs();
  }

  unreachable(broker: number): { inMs: number } | undefined {
    const inMs = this.#unreachableInMs(broker);
    return inMs === undefined ? undefined : { inMs };
  }

  /** On its way when its process dies, it may arrive or not. */
  #later(pending: Pending, arrive: () => void, requestMs: number): void {
    this.#network.host.setTimeout(() => {
      if (pending.isBroken === true || !this.brokers.isUp(pending.broker) || this.#isCut) return;
      if (!this.#isDead || this.#network.random() < 0.5) arrive();
    }, requestMs);
  }

  #arrive<R>({ work, resolve, reject, answer }: Arrival<R>): void {
    let done: R | Promise<R>;
    try {
      done = work();
    } catch (thrown) {
      answer(() => reject(thrown));
      return;
    }
    if (done instanceof Promise) {
      done.then(
        (value) => answer(() => resolve(value)),
        (thrown: unknown) => answer(() => reject(thrown)),
      );
    } else {
      const value = done;
      answer(() => resolve(value));
    }
  }

  #answer(pending: Pending, decision: Decision, act: () => void): void {
    if (this.#isDead || decision.kind === "lose_answer" || !this.#pending.has(pending)) return;
    const answerMs = decision.kind === "pass" || decision.kind === "delay" ? decision.answerMs : undefined;
    this.host.setTimeout(() => {
      if (this.#pending.delete(pending)) act();
    }, answerMs ?? this.latencyMs());
  }
}

interface Arrival<R> {
  work(): R | Promise<R>;
  resolve(value: R): void;
  reject(error: unknown): void;
  answer(act: () => void): void;
}
