// Failures by what they have in common: destination, webhook and reason. An issue has no row of its own to lose: it is counted in the transactions
// of the attempts and dead letters that it is made of.
import type { DeadLetter, DeliveryAttempt } from "#topics";
import { type IssueKey, issueId } from "../../http/issue-id.ts";
import { addFailures, type Failures, QUIET_MS } from "./issues-table.ts";
import type { Statements } from "./sql.ts";

const SUCCESS = "success";
/** Ids are hashes; a process has made most of those that come again. */
const KEPT_IDS = 10_000;

/** Gathers what a transaction counts: some hundred failures are mostly of few issues. */
export class IssueCounts {
  readonly #failed = new Map<string, Failures>();
  readonly #dead = new Map<string, Failures>();
  readonly #ids = new Map<string, string>();

  /** One that was not there yet. */
  failed({ destinationId, message, outcome, startedAtMs, status, url }: DeliveryAttempt): void {
    if (outcome === SUCCESS) return;
    const key = { destinationId, url, reason: outcome };
    gather(this.#failed, this.#idOf(key), { key, atMs: startedAtMs, status, message });
  }

  /** One that was not there yet. */
  dead(letter: DeadLetter): void {
    for (const key of issueKeysOf(letter)) {
      const outcome = outcomeOf(letter, key);
      const { message } = outcome ?? letter;
      const failure = { key, atMs: letter.deadAtMs, status: outcome?.status ?? null, message };
      gather(this.#dead, this.#idOf(key), failure);
    }
  }

  /** What it counts as in the issues that it is part of, by their ids. */
  statusesOf(letter: DeadLetter): Record<string, number | null> {
    const all = issueKeysOf(letter).map((key) => [this.#idOf(key), outcomeOf(letter, key)?.status ?? null]);
    return Object.fromEntries(all);
  }

  /** Within the transaction that the rows are written in. */
  save(sql: Statements): void {
    for (const [id, failures] of this.#failed) addFailures(sql, "requests", id, failures);
    for (const [id, failures] of this.#dead) addFailures(sql, "dead_letters", id, failures);
    this.forget();
  }

  /** After a transaction that came to nothing. */
  forget(): void {
    this.#failed.clear();
    this.#dead.clear();
  }

  #idOf(key: IssueKey): string {
    const named = `${key.destinationId} ${key.reason} ${key.url}`;
    const known = this.#ids.get(named);
    if (known !== undefined) return known;
    const id = issueId(key);
    if (this.#ids.size >= KEPT_IDS) this.#ids.clear();
    this.#ids.set(named, id);
    return id;
  }
}

/** A call that died of several webhooks is part of each one's issue. Where nothing was asked of a webhook its own reason makes the issue. */
function issueKeysOf({
  destinationId,
  outcomes,
  reason,
}: Pick<DeadLetter, "destinationId" | "outcomes" | "reason">): IssueKey[] {
  if (destinationId === null) return [];
  if (outcomes.length === 0) return [{ destinationId, url: null, reason }];
  return outcomes.map((outcome) => ({ destinationId, url: outcome.url, reason: outcome.reason }));
}

function outcomeOf({ outcomes }: DeadLetter, key: IssueKey): DeadLetter["outcomes"][number] | undefined {
  return outcomes.find(({ url }) => url === key.url);
}

interface Failure extends Pick<Failures, "key" | "status" | "message"> {
  readonly atMs: number;
}

function gather(all: Map<string, Failures>, id: string, failure: Failure): void {
  const { atMs, key, message, status } = failure;
  const known = all.get(id);
  if (known === undefined) {
    const times = { firstAtMs: atMs, sinceMs: atMs, lastAtMs: atMs };
    const made = { key, ...times, count: 1, status, message, statuses: new Map() };
    all.set(id, made);
    gatherStatus(made, failure);
    return;
  }
  gatherStatus(known, failure);
  known.count += 1;
  if (atMs > known.lastAtMs + QUIET_MS) known.sinceMs = atMs;
  // A slow request is recorded behind those that began after it.
  else if (atMs >= known.sinceMs - QUIET_MS) known.sinceMs = Math.min(known.sinceMs, atMs);
  if (atMs < known.firstAtMs) known.firstAtMs = atMs;
  if (atMs < known.lastAtMs) return;
  known.lastAtMs = atMs;
  known.status = status;
  known.message = message;
}

function gatherStatus({ statuses }: Failures, { atMs, message, status }: Failure): void {
  if (status === null) return;
  const known = statuses.get(status);
  const count = (known?.count ?? 0) + 1;
  if (known !== undefined && known.lastAtMs > atMs) statuses.set(status, { ...known, count });
  else statuses.set(status, { status, count, lastAtMs: atMs, message });
}
