import type { Deployment } from "#support/deployment";
import type { Receiver } from "#support/receiver";
import { until } from "#support/until";
import type { Load } from "./load.ts";

/** Where the acknowledged calls ended. */
export interface Account {
  readonly acknowledged: number;
  readonly delivered: number;
  /** Deliveries beyond the first of a call. */
  readonly duplicates: number;
  readonly deadLettered: number;
  /** messageIds that are neither delivered nor dead-lettered: must be empty. */
  readonly lost: readonly string[];
  /** Deliveries whose signature or body was wrong: must be 0. */
  readonly altered: number;
}

function countById(receiver: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { json } of receiver.requests) {
    const id = String(json["messageId"]);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Waits until every acknowledged call is accounted for, at most `timeoutMs`, and says where each ended. */
export async function account(world: {
  deployment: Deployment;
  receiver: Receiver;
  load: Load;
  timeoutMs: number;
}): Promise<Account> {
  const { deployment, receiver, load, timeoutMs } = world;
  const missing = (): string[] => {
    const delivered = countById(receiver);
    return [...load.acknowledged].filter((id) => !delivered.has(id));
  };
  const giveUpAtMs = Date.now() + timeoutMs;
  await until(() => missing().length === 0 || Date.now() > giveUpAtMs, {
    timeoutMs: timeoutMs + 5_000,
    what: () => "every call to arrive",
  });
  const dead = new Set((await deployment.deadLetters()).map(({ messageId }) => messageId));
  const counts = countById(receiver);
  return {
    acknowledged: load.acknowledged.size,
    delivered: counts.size,
    duplicates: [...counts.values()].reduce((sum, count) => sum + count - 1, 0),
    deadLettered: dead.size,
    lost: missing().filter((id) => !dead.has(id)),
    altered: receiver.requests.filter(({ signature }) => signature !== "valid").length,
  };
}

/** One line for people: what a fault cost. */
export function state(
  fault: string,
  { acknowledged, delivered, duplicates, deadLettered, lost }: Account,
): void {
  process.stdout.write(
    `${fault}: ${acknowledged} acknowledged, ${delivered} delivered, ${duplicates} duplicates, ${deadLettered} dead-lettered, ${lost.length} lost\n`,
  );
}
