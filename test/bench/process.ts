import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { metricsOf, sumOfMetric } from "#support/metrics";
import type { ServiceProcess } from "#support/service";

/** How far a process has come, and what that took. */
export interface Sample {
  /** Calls handled since it started. */
  readonly count: number;
  readonly cpuSeconds: number;
}

/** One of the programs in programs/, running in a process of its own. */
export interface Program {
  /** Where it listens, if it does. */
  readonly ports: readonly number[];
  readonly sample: () => Promise<Sample>;
  readonly ask: <T>(question: string) => Promise<T>;
  readonly stop: () => Promise<void>;
}

/** The next message of a child; rejects when it ends instead of answering. */
function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`benchmark program ${child.spawnargs.at(2) ?? ""} ended`));
    child.once("exit", ended);
    child.once("message", (answer) => {
      child.removeListener("exit", ended);
      resolve(answer as T);
    });
  });
}

export async function startProgram(name: string, args: readonly string[] = []): Promise<Program> {
  const child = fork(join(import.meta.dirname, "programs", `${name}.ts`), [...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { ports } = await message<{ ports: readonly number[] }>(child);
  /** Answers carry no name, so one question waits for the other's. */
  let last: Promise<unknown> = Promise.resolve();
  const ask = <T>(question: string): Promise<T> => {
    const answered = last.then(() => {
      child.send(question);
      return message<T>(child);
    });
    last = answered.catch(() => undefined);
    return answered;
  };
  return {
    ports,
    ask,
    sample: () => ask<Sample>("count"),
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/** A service's own metrics as samples. */
export function serviceSampler(service: ServiceProcess, counter: string): () => Promise<Sample> {
  return async () => {
    const text = await metricsOf(service);
    return {
      count: sumOfMetric(text, counter),
      cpuSeconds: sumOfMetric(text, "process_cpu_seconds_total"),
    };
  };
}

export interface CpuCost {
  readonly events: number;
  readonly perSecond: number;
  /** CPU time of the process per event, microseconds. */
  readonly cpuMicros: number;
}

export interface MeasureOptions {
  readonly sample: () => Promise<Sample>;
  /** Events that pass before the measurement begins: compilation and caches are not what is measured. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Ends the measurement at this count: what a backlog holds. */
  readonly until?: number;
}

/** What one event costs a process, over `seconds` after the warm-up. */
export async function measureCpu({
  sample,
  warmUp,
  seconds,
  until = Number.POSITIVE_INFINITY,
}: MeasureOptions): Promise<CpuCost> {
  const start = (await sample()).count;
  let first = await sample();
  while (first.count < start + warmUp) {
    await pause(250);
    first = await sample();
  }
  const beganAtMs = performance.now();
  let last = first;
  while (performance.now() - beganAtMs < seconds * 1000 && last.count < until) {
    // A look at the metrics page costs the process time too.
    await pause(1_000);
    last = await sample();
  }
  const events = last.count - first.count;
  return {
    events,
    perSecond: (events * 1000) / (performance.now() - beganAtMs),
    cpuMicros: ((last.cpuSeconds - first.cpuSeconds) * 1e6) / events,
  };
}
