import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { metricsOf, sumOfMetric } from "#support/metrics";
import type { ServiceProcess } from "#support/service";
import { builtGoProgram, type GoProgram } from "./go-programs.ts";

/** How far a process has come, and what that took. */
export interface Sample {
  /** Calls handled since it started. */
  readonly count: number;
  readonly cpuSeconds: number;
}

/** A program in a process of its own that answers questions (programs/control.ts, go/program). */
export interface Program<S extends Sample = Sample> {
  /** Where it listens, if it does. */
  readonly ports: readonly number[];
  readonly pid: number;
  readonly sample: () => Promise<S>;
  readonly ask: <T>(question: string) => Promise<T>;
  readonly stop: () => Promise<void>;
}

interface Answers {
  /** The next line, in the order of the questions; rejects when the program ends instead of answering. */
  next<T>(): Promise<T>;
}

function answersOf(child: ChildProcessByStdio<Writable, Readable, null>, name: string): Answers {
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  let isOver = false;
  createInterface(child.stdout)
    .on("line", (line) => waiting.shift()?.resolve(line))
    .on("close", () => {
      isOver = true;
      for (const { reject } of waiting.splice(0)) reject(new Error(`the benchmark's program ${name} ended`));
    });
  return {
    async next<T>() {
      if (isOver) throw new Error(`the benchmark's program ${name} has ended`);
      const line = await new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
      return JSON.parse(line) as T;
    },
  };
}

async function startChild<S extends Sample>(
  name: string,
  command: string,
  args: readonly string[],
): Promise<Program<S>> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  // The end of its output tells those who wait for an answer; a question that comes too late has nobody to go to.
  child.stdin.on("error", () => undefined);
  const answers = answersOf(child, name);
  const { ports } = await answers.next<{ ports: readonly number[] }>();
  const ask = <T>(question: string): Promise<T> => {
    const answered = answers.next<T>();
    child.stdin.write(`${question}\n`);
    return answered;
  };
  return {
    ports,
    // It has answered, so that it was started.
    pid: child.pid ?? Number.NaN,
    ask,
    sample: () => ask<S>("count"),
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** One of programs/, on the Node that runs this. */
export function startProgram(name: string, args: readonly string[] = []): Promise<Program> {
  const file = join(import.meta.dirname, "programs", `${name}.ts`);
  return startChild(name, process.execPath, [...process.execArgv, file, ...args]);
}

/** One of go/, built first if need be. */
export async function startGoProgram<S extends Sample>(
  name: GoProgram,
  args: readonly string[],
): Promise<Program<S>> {
  return startChild<S>(name, await builtGoProgram(name), args);
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
