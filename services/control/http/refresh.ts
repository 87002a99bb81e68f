import { type Host, orAborted } from "#host";
import { ProblemError } from "./problem.ts";

/** A person or program is waiting. */
const READ_WITHIN_MS = 5_000;

/** Of a request that has changed nothing: it can be sent again as it is. */
export function kafkaIsAway(): ProblemError {
  return new ProblemError("unavailable", "Kafka does not answer; nothing was begun");
}

/** Resolves when what other processes have written can be read. Rejects with an "unavailable" problem when Kafka does not answer in time. */
export async function refreshAll(
  stores: readonly { refresh(): Promise<void> }[],
  host: Pick<Host, "setTimeout">,
): Promise<void> {
  const late = new AbortController();
  const timer = host.setTimeout(() => late.abort(), READ_WITHIN_MS);
  try {
    await orAborted(Promise.all(stores.map((store) => store.refresh())), late.signal);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw kafkaIsAway();
  } finally {
    timer.clear();
  }
}
