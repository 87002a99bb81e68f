import { createWriteStream } from "node:fs";
import { join } from "node:path";
import type { Environment } from "#runtime";
import { type Child, startChild } from "#stack";
import { readServiceLine } from "./log-lines.ts";

/** A busy machine's first minute with a new Kafka: seen to take over one. */
const READY_TIMEOUT_MS = 180_000;
const SAY_EVERY_MS = 20_000;
const STOP_GRACE_MS = 15_000;

export interface SupervisedOptions {
  readonly name: string;
  /** Path of its main.ts. */
  readonly program: string;
  readonly environment: Environment;
  readonly logFolder: string;
  /** Told as soon as its process runs, long before it is ready: an end may come between. */
  readonly onStarted?: (stop: () => Promise<void>) => void;
  /** Gets lines for people. */
  readonly say: (line: string) => void;
  /** Interval at which it is reported that a start still lasts; 20 s by default. */
  readonly sayEveryMs?: number;
  /** 180 s by default. */
  readonly readyTimeoutMs?: number;
}

/**
 * A service in a process of its own. Once it was ready it is started again, with back-off, whenever it dies or does not become ready in
 * time.
 */
export interface SupervisedService {
  readonly name: string;
  readonly ports: Readonly<Record<string, number>>;
  /** SIGTERM, and SIGKILL when the grace time is over; it is not started again. */
  readonly stop: () => Promise<void>;
}

type Ports = Readonly<Record<string, number>>;

/** One life of the process. */
interface Life {
  readonly child: Child;
  /** Rejects when it ends, or takes too long, before it is ready. */
  readonly ready: Promise<Ports>;
}

async function startLife(options: SupervisedOptions, keep: (line: string) => void): Promise<Life> {
  const { name, program, environment, say, sayEveryMs = SAY_EVERY_MS } = options;
  const { readyTimeoutMs = READY_TIMEOUT_MS } = options;
  const ready = Promise.withResolvers<Ports>();
  let isReady = false;
  let reason = "";
  const child = await startChild({
    command: process.execPath,
    args: [program],
    environment,
    onLine: (line) => {
      keep(line);
      const read = readServiceLine(line);
      if (read.kind === "ready") {
        isReady = true;
        ready.resolve(read.ports);
      }
      if (read.kind !== "show") return;
      // A crash of Node comes as many lines, of which one names the error.
      if (read.severity === "fatal" || reason === "" || /^\w*Error\b/.test(read.text)) reason = read.text;
      // Warnings of a start are about what is still coming up; the log file has them.
      if (isReady || read.severity !== "warn") say(`[${name}] ${read.text}`);
    },
  });
  const fail = (why: string): void => ready.reject(new Error(`${name} ${why}${reason && `: ${reason}`}`));
  const timer = setTimeout(() => fail(`was not ready within ${readyTimeoutMs / 1000} s`), readyTimeoutMs);
  const telling = setInterval(() => say(`${name} is still starting${reason && `: ${reason}`}`), sayEveryMs);
  void child.exited.then((code) => {
    fail(`ended with ${code} before it was ready`);
  });
  const clear = (): void => {
    clearTimeout(timer);
    clearInterval(telling);
  };
  return { child, ready: ready.promise.finally(clear) };
}

/** Starts a service and stays with it. Rejects when it does not become ready the first time. */
export async function superviseService(options: SupervisedOptions): Promise<SupervisedService> {
  const { name, logFolder, say } = options;
  const log = createWriteStream(join(logFolder, `${name}.log`), { flags: "a", mode: 0o600 });
  const keep = (line: string): boolean => log.write(`${line}\n`);
  let isStopping = false;
  let deaths = 0;
  let timer: NodeJS.Timeout | undefined;
  let { child, ready } = await startLife(options, keep);

  const restart = async (): Promise<void> => {
    const life = await startLife(options, keep);
    child = life.child;
    watch();
    if (isStopping) await child.kill();
    try {
      await life.ready;
      say(`${name} is ready again`);
    } catch (error) {
      // `watch` says that a life has ended, and starts the next one.
      if (life.child.isRunning()) say((error as Error).message);
      await life.child.kill();
    }
  };
  const watch = (): void => {
    const startedAtMs = performance.now();
    void child.exited.then((code) => {
      if (isStopping) return;
      deaths = countDeaths(deaths, performance.now() - startedAtMs);
      const delayMs = restartDelayMs(deaths);
      say(`${name} ended with ${code}; starting it again in ${delayMs / 1000} s`);
      timer = setTimeout(() => void restart(), delayMs);
    });
  };
  const stop = async (): Promise<void> => {
    isStopping = true;
    clearTimeout(timer);
    await child.stop(STOP_GRACE_MS);
    await new Promise<void>((resolve) => log.end(() => resolve()));
  };

  options.onStarted?.(stop);
  try {
    const ports = await ready;
    watch();
    return { name, ports, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A service that ran this long was well: its next death counts as the first. */
const WELL_AFTER_MS = 60_000;

/** The wait before a service is started again. `deaths` counts from 1. */
export function restartDelayMs(deaths: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (deaths - 1), MAX_DELAY_MS);
}

/** Deaths in a row, after one more that came when the service had run for `ranMs`. */
export function countDeaths(before: number, ranMs: number): number {
  return ranMs >= WELL_AFTER_MS ? 1 : before + 1;
}
