import type { Host } from "#host";
import { RegistryUnavailableError } from "./errors.ts";

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5_000;

export interface WaitOptions {
  readonly host: Pick<Host, "delay">;
  /** Ends the waiting; what is waited for then rejects with a RegistryUnavailableError. */
  readonly signal: AbortSignal;
  /** Called before each pause. */
  readonly onUnavailable: (error: RegistryUnavailableError, retryInMs: number) => void;
}

/** Repeats the request until the registry answers it, whatever the answer. */
export async function untilAnswered<T>(request: () => Promise<T>, options: WaitOptions): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LAST_DELAY_MS)) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof RegistryUnavailableError)) throw error;
      options.onUnavailable(error, delayMs);
      await pause(delayMs, options);
    }
  }
}

async function pause(delayMs: number, { host, signal }: WaitOptions): Promise<void> {
  try {
    await host.delay(delayMs, signal);
  } catch (error) {
    throw new RegistryUnavailableError("closed while waiting for the schema registry", { cause: error });
  }
}
