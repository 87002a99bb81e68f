import { type Host, orAborted } from "#host";
import { inTime } from "./in-time.ts";
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
  const late = (): never => {
    throw kafkaIsAway();
  };
  await inTime({ host, withinMs: READ_WITHIN_MS, late }, (signal) =>
    orAborted(Promise.all(stores.map((store) => store.refresh())), signal),
  );
}
