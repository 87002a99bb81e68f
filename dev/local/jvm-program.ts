import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";

/** The pause before a program that did not come up again is tried once more. */
const REVIVE_EVERY_MS = 5_000;

export interface JvmProgramOptions {
  /** The name in messages. */
  readonly name: string;
  /** Starts the process and waits until it answers. */
  readonly launch: () => Promise<Child>;
  readonly stopGraceMs: number;
  /** 5 s by default. */
  readonly reviveEveryMs?: number;
  readonly log: (line: string) => void;
}

/** A program of the stack. One that ends without being told to is started again until it answers: its data is on disk. */
export interface JvmProgram {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly isRunning: () => boolean;
}

export function jvmProgram(options: JvmProgramOptions): JvmProgram {
  const { name, launch, stopGraceMs, reviveEveryMs = REVIVE_EVERY_MS, log } = options;
  let child: Child | undefined;
  /** Counts starts and ends: what an earlier one began is over. */
  let term = 0;

  const live = async (mine: number): Promise<void> => {
    const started = await launch();
    // It was told to end while it was coming up.
    if (term !== mine) {
      await started.kill();
      return;
    }
    child = started;
    void started.exited.then((code) => {
      if (term === mine) void revive(code, mine);
    });
  };
  const revive = async (code: number, mine: number): Promise<void> => {
    log(`${name} ended with ${code}; starting it again`);
    while (term === mine) {
      try {
        await live(mine);
        if (term === mine) log(`${name} is there again`);
        return;
      } catch (error) {
        const { message } = error as Error;
        if (term === mine)
          log(`${name} did not start again, next try in ${reviveEveryMs / 1000} s: ${message}`);
      }
      await sleep(reviveEveryMs, undefined, { ref: false });
    }
  };
  return {
    start: () => {
      term += 1;
      return live(term);
    },
    stop: async () => {
      term += 1;
      await child?.stop(stopGraceMs);
    },
    kill: async () => {
      term += 1;
      await child?.kill();
    },
    isRunning: () => child?.isRunning() ?? false,
  };
}
