import type { Environment } from "#runtime";

/** The rung of the ladder on which the stack stands. */
export type Rung = "environment" | "docker" | "jvm";

/** One broker, for tests that take it away. Its data and its address stay the same over stop, kill and start. */
export interface BrokerControl {
  /** Stops in order: leadership moves, logs are flushed. */
  readonly stop: () => Promise<void>;
  /** Ends it as kill -9 or a power cut would. */
  readonly kill: () => Promise<void>;
  /** Ends when the broker answers again and the cluster counts it. */
  readonly start: () => Promise<void>;
}

/** One leg of a detour. */
export interface DetourLeg {
  /**
   * The port of 127.0.0.1 at which clients are told to find the broker. Nothing listens there until somebody
   * puts a proxy there.
   */
  readonly port: number;
  /** Address "host:port" at which the broker really listens. */
  readonly target: string;
}

/** A running Kafka and schema registry. */
export interface Stack {
  readonly rung: Rung;
  /** Addresses, "host:port". */
  readonly brokers: readonly string[];
  /** Base URL of the Confluent-compatible API. */
  readonly registryUrl: string;
  /**
   * The detours that were asked for. A detour is one more way to the cluster: a listener of its own at each
   * broker, with a leg for each, that advertises addresses of this machine. Clients that start from there
   * never leave it.
   */
  readonly detours: readonly (readonly DetourLeg[])[];
  /** Broker by its index in `brokers`. Throws for the environment's brokers, which are not ours to stop. */
  readonly broker: (index: number) => BrokerControl;
  /** Ends the processes that this stack started, and only those. */
  readonly stop: () => Promise<void>;
}

export interface StackOptions {
  readonly environment: Environment;
  /** Gets lines for people: which rung, what is downloaded, how long it took. */
  readonly log: (line: string) => void;
  /** 1 unless told; three for tests of leader changes. */
  readonly brokers?: 1 | 3;
  /** The number of detours, for tests that cut the network between one process and Kafka. */
  readonly detours?: number;
  /** Leave the environment's addresses alone: for tests that stop brokers. */
  readonly own?: boolean;
  /** Keep the data in this folder for the next start; without it the data goes when the stack stops. Local JVM only. */
  readonly dataFolder?: string;
  /** Whether a stack that cannot keep it there is none. */
  readonly isDataFolderNeeded?: boolean;
}
