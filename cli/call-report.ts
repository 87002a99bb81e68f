// Prints the control API's answer about one call, as lines for a person. Pure.
import { DEAD_LETTERS, DROPS, PASSED_OVER, type Reason } from "#contract";

/** The parts of the answer of GET /v1/calls/{messageId} that are shown. */
export interface CallAnswer extends UserCall {
  readonly messageId: string;
  readonly sourceId: string;
  readonly others: readonly UserCall[];
  readonly isComplete: boolean;
}

interface UserCall {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly type: string | null;
  /** ISO 8601, as all times. */
  readonly receivedAt: string | null;
  readonly accepted: readonly { readonly outcome: string }[] | null;
  readonly destinations: readonly AtDestination[];
}

interface AtDestination {
  readonly destinationId: string;
  readonly name: string | null;
  readonly state: string;
  readonly passedOver: string | null;
  readonly next: readonly Next[];
  readonly attempts: readonly Attempt[];
  readonly deadLetters: readonly DeadLetter[];
}

interface Next {
  readonly nextAttemptAt: string | null;
  readonly attempts: number;
  readonly webhooks: readonly { readonly status: number | null; readonly error: string }[];
}

interface Attempt {
  readonly startedAt: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

interface DeadLetter {
  readonly deadAt: string;
  readonly reason: string;
  readonly message: string;
  readonly attempts: number;
}

/** One user's call: who and when, and a row for each destination. */
export interface UserReport {
  readonly heading: string;
  readonly rows: readonly Row[];
}

type Row = Readonly<Record<keyof typeof CALL_COLUMNS, string | number | null>>;

/**
 * The field of a row by column title. `took`: the last request. `after`: from the acceptance to the end of
 * it, or to the call's death.
 */
export const CALL_COLUMNS = {
  destination: "destination",
  outcome: "outcome",
  attempts: "attempts",
  status: "status",
  took: "took",
  after: "after",
  reason: "reason",
} as const;

/** One report for each user whose call has the messageId. */
export function callReports(call: CallAnswer): UserReport[] {
  return [call, ...call.others].map((one) => ({
    heading: headingOf(one),
    rows: one.destinations.map((at) => rowOf(at, one.receivedAt)),
  }));
}

function headingOf({ accepted, anonymousId, receivedAt, type, userId }: UserCall): string {
  const user = userId === null ? `anonymous ${anonymousId ?? "-"}` : `user ${userId}`;
  const when = receivedAt === null ? "when it was accepted is not recorded" : `accepted ${receivedAt}`;
  const said = (accepted ?? []).map(({ outcome }) => outcome);
  const copies = said.filter((outcome) => outcome === "duplicate").length;
  const dropped = said.filter((outcome) => outcome !== "duplicate" && outcome !== "routed");
  return [
    user,
    type ?? "-",
    when,
    ...(copies > 0 ? [`came again ${copies} ${copies === 1 ? "time" : "times"}`] : []),
    ...dropped.map((outcome) => `dropped: ${meaningOf(DROPS, outcome)}`),
  ].join(", ");
}

function rowOf(at: AtDestination, receivedAt: string | null): Row {
  const { attempts, deadLetters, destinationId, name, next } = at;
  const last = attempts.at(-1);
  const asked = next[0]?.webhooks.at(-1);
  return {
    destination: name === null ? `${destinationId} (deleted)` : `${name} (${destinationId})`,
    outcome: at.state,
    attempts: Math.max(0, ...[...next, ...deadLetters].map((each) => each.attempts), last?.attempt ?? 0),
    status: last?.status ?? asked?.status ?? null,
    took: last === undefined ? null : durationOf(last.durationMs),
    after: afterOf(at, receivedAt),
    reason: reasonOf(at),
  };
}

function afterOf({ attempts, deadLetters, state }: AtDestination, receivedAt: string | null): string | null {
  const last = attempts.at(-1);
  const requestEndMs = last === undefined ? undefined : Date.parse(last.startedAt) + last.durationMs;
  const death = state === "dead" ? deadLetters.at(-1)?.deadAt : undefined;
  const endMs = death === undefined ? requestEndMs : Date.parse(death);
  if (endMs === undefined || receivedAt === null) return null;
  return durationOf(Math.max(0, endMs - Date.parse(receivedAt)));
}

/** The reason in words. */
function reasonOf(at: AtDestination): string | null {
  const { attempts, deadLetters, next, passedOver, state } = at;
  const error = next[0]?.webhooks.at(-1)?.error ?? attempts.at(-1)?.error ?? null;
  switch (state) {
    case "waiting":
      return [error, `next attempt ${next[0]?.nextAttemptAt ?? "when its endpoint is back"}`]
        .filter((part) => part !== null)
        .join("; ");
    case "paused":
      return "the destination is paused";
    case "queued":
      return "it is sent as soon as it is read";
    case "dead":
      return deathOf(deadLetters.at(-1), attempts.at(-1)?.error ?? null);
    case "passed_over":
      return passedOver === null ? null : meaningOf(PASSED_OVER, passedOver);
    case "no_trace":
      return "nothing is recorded of it here";
    case "delivered":
      return attempts.length === 0 ? "it was taken; that request has no record" : null;
    default:
      return error;
  }
}

function deathOf(letter: DeadLetter | undefined, error: string | null): string | null {
  if (letter === undefined) return error;
  const meaning = meaningOf(DEAD_LETTERS, letter.reason);
  return error === null ? meaning : `${meaning}; last: ${error}`;
}

/** The reason itself where a newer server has one that is not known here. */
function meaningOf(reasons: Readonly<Record<string, Reason>>, reason: string): string {
  return reasons[reason]?.meaning ?? reason;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Two units at most: 40 ms, 4.9 s, 12m 5s, 3h 20m. */
function durationOf(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ${Math.floor((ms % MINUTE_MS) / SECOND_MS)}s`;
  return `${Math.floor(ms / HOUR_MS)}h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)}m`;
}
