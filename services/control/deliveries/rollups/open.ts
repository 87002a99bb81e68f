import type { ServiceContext } from "#runtime";
import { type RollupParts, writeRollups } from "./writing.ts";

const WRITE_EVERY_MS = 600_000;

type Context = Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger" | "nowMs">;

/** Every ten minutes. Processes of control begin at different times, so most find what another one has written. */
export function openRollups(context: Context, parts: Omit<RollupParts, "host" | "nowMs" | "signal">): void {
  const { host, lifecycle, logger, nowMs } = context;
  const ending = new AbortController();
  let writing: Promise<void> | undefined;
  async function write(): Promise<void> {
    try {
      await writeRollups({ ...parts, host, nowMs, signal: ending.signal });
    } catch (error) {
      if (!ending.signal.aborted) logger.warn({ err: error }, "roll-ups of statistics wait to be written");
    }
    writing = undefined;
  }
  const timer = host.setInterval(() => {
    writing ??= write();
  }, WRITE_EVERY_MS);
  lifecycle.onStop("roll-ups of statistics", async () => {
    timer.clear();
    ending.abort();
    await writing;
  });
}
