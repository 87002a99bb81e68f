import type { Child } from "./child.ts";

export interface JvmProgramOptions {
  /** The name in messages. */
  readonly name: string;
  /** Starts the process and waits until it answers. */
  readonly launch: () => Promise<Child>;
  readonly stopGraceMs: number;
  readonly log: (line: string) => void;
}

/** A program of the stack. One that ends without being told to is started again: its data is on disk. */
export interface JvmProgram {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly isRunning: () => boolean;
}

export function jvmProgram({ name, launch, stopGraceMs, log }: JvmProgramOptions): JvmProgram {
  let child: Child | undefined;
  let isWanted = false;

  const revive = (code: number): void => {
    log(`${name} ended with ${code}; starting it again`);
    start().catch((error: Error) => log(`${name} did not start again: ${error.message}`));
  };
  const start = async (): Promise<void> => {
    isWanted = true;
    const started = await launch();
    child = started;
    // It was told to end while it was coming up.
    if (!isWanted) await started.kill();
    void started.exited.then((code) => {
      if (isWanted && child === started) revive(code);
    });
  };
  return {
    start,
    stop: async () => {
      isWanted = false;
      await child?.stop(stopGraceMs);
    },
    kill: async () => {
      isWanted = false;
      await child?.kill();
    },
    isRunning: () => child?.isRunning() ?? false,
  };
}
