import type { Host, Timer } from "#host";
import type { Logger } from "./logger.ts";

/** Ends one part of a service. `graceMs` is what is left of the service's grace time. */
type Stop = (graceMs: number) => Promise<void> | void;

/**
 * Ordered end of a service: not ready, then every part in the reverse order of its registration. A service that
 * registers producer, then runner, then HTTP server is stopped as the contract wants it: intake, work in flight,
 * commits and leaving the group, connections.
 */
export interface Lifecycle {
  onStop(name: string, stop: Stop): void;
  /** Ends the service in order, with status 1, because it cannot go on. */
  fail(error: unknown): void;
  /** Aborted when the end begins: for start-up work that waits for something. */
  readonly stopping: AbortSignal;
}

/** Takes the error of work at the start: that an end which was asked for interrupts it is no failure. */
export const failUnlessStopping =
  (lifecycle: Pick<Lifecycle, "fail" | "stopping">) =>
  (error: unknown): void => {
    if (!lifecycle.stopping.aborted) lifecycle.fail(error);
  };

/** 0 when everything ended in order, 1 when something failed. */
export type ExitStatus = 0 | 1;

export interface LifecycleControl extends Lifecycle {
  stop(): Promise<ExitStatus>;
  readonly ended: Promise<ExitStatus>;
}

/** A part gets at least this long, also when an earlier one has used up the grace time. */
const LEAST_GRACE_MS = 1000;

/** Resolves true when `work` ended in time; rejects when it failed. */
async function inTime(
  work: Promise<void>,
  graceMs: number,
  host: Pick<Host, "setTimeout">,
): Promise<boolean> {
  let timer: Timer | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = host.setTimeout(() => resolve(false), graceMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timer?.clear();
  }
}

export function createLifecycle(options: {
  readonly graceMs: number;
  readonly logger: Logger;
  readonly host: Pick<Host, "elapsed" | "setTimeout">;
}): LifecycleControl {
  const { graceMs, logger, host } = options;
  const parts: { readonly name: string; readonly stop: Stop }[] = [];
  const stopping = new AbortController();
  const ended = Promise.withResolvers<ExitStatus>();
  let status: ExitStatus = 0;

  async function stopPart(name: string, stop: Stop, deadlineMs: number): Promise<void> {
    const leftMs = Math.max(LEAST_GRACE_MS, deadlineMs - host.elapsed());
    try {
      if (await inTime(Promise.resolve(stop(leftMs)), leftMs, host)) return;
      logger.error({ part: name, graceMs }, "part did not stop within the grace time");
    } catch (error) {
      logger.error({ part: name, err: error }, "part failed to stop");
    }
    status = 1;
  }

  async function stopAll(): Promise<void> {
    const deadlineMs = host.elapsed() + graceMs;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      await stopPart(part.name, part.stop, deadlineMs);
    }
    ended.resolve(status);
  }

  const control: LifecycleControl = {
    stopping: stopping.signal,
    ended: ended.promise,
    onStop(name, stop) {
      // Start-up was overtaken by the end: what it still opens is closed at once.
      if (stopping.signal.aborted) void stopPart(name, stop, host.elapsed());
      else parts.push({ name, stop });
    },
    fail(error) {
      logger.fatal({ err: error }, "service cannot go on");
      status = 1;
      void control.stop();
    },
    stop() {
      if (!stopping.signal.aborted) {
        stopping.abort();
        void stopAll();
      }
      return ended.promise;
    },
  };
  return control;
}
