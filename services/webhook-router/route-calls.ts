// The step: one call in, its delivery jobs out. What is left behind when the process dies, line by line:
//
//   note → (1) → route → (2) → settle: jobs produced → (3) → acknowledged → (4) → marked done → (5) → committed
//
//   (1)-(3) Nothing has left the process. The record is read again from the last commit. If the window's write with
//           this id was durable, it is found with its own offset ("again"), which is no duplicate: it is routed.
//   (3)-(5) Some or all of the jobs are in Kafka, and after them the record of what became of the call if one is asked for: who counts it as sent finds its jobs.
//           The offset is not committed. The record is routed again and makes
//           the same jobs with the same ids; the deliverer skips what it has seen, and the receiver gets the same
//           messageId in the worst case.
//   (5)     Done. A later copy of the call has a larger offset and is dropped as a duplicate.
//
// The window may be ahead of the commit (the cases above) or behind it: the commit can be durable before the window's
// write is. So before a record is stepped the window is brought up to its offset from the log (dedupe-windows.ts).
// A call for which there is no destination waits between (1) and (2) for a look at the configuration's end (confirmations.ts), as does one of a
// user who was suppressed before it was accepted, which is dropped here if ingest did not know (suppressions.ts); one whose
// filters or jobs take long for its turns of the event loop, and one that would become jobs while Kafka is behind with others (filter-turns.ts).
// A configuration change between two readings may route the second reading otherwise; that is the rule (contract 3.6).
import type { Claim, OutgoingRecord, Received, Settle, Step } from "#kafka";
import type { Call } from "#topics";
import type { Confirmations, Undecided } from "./confirmations.ts";
import type { DedupeWindows } from "./dedupe-windows.ts";
import type { DestinationIndex, RoutedDestination } from "./destination-index.ts";
import type { FilterTurns } from "./filter-turns.ts";
import type { RouterRecords } from "./records.ts";
import { type Filtering, type Outcome, type Route, route } from "./route.ts";
import type { RecordCall } from "./routed-calls.ts";
import type { Suppressions } from "./suppressions.ts";
import type { Telemetry } from "./telemetry.ts";

export interface RouteCallsParts {
  readonly windows: Pick<DedupeWindows, "note">;
  readonly confirmations: Confirmations;
  readonly suppressions: Pick<Suppressions, "has">;
  readonly turns: Pick<FilterTurns, "has" | "hasRoom" | "hasTime" | "wait" | "revoked">;
  readonly destinations: Pick<DestinationIndex, "of">;
  readonly records: RouterRecords;
  /** Undefined unless what becomes of each call is to be recorded. */
  readonly recordCall: RecordCall | undefined;
  readonly telemetry: Telemetry;
}

interface CallInProgress {
  readonly record: Received<Call>;
  readonly settle: Settle;
  readonly claim: Claim;
  /** Whether the configuration was looked at because of it. */
  isConfirmed: boolean;
  /** The call's route, as far as it was found out, and the destinations that it was chosen from. */
  found: Route | Filtering | undefined;
  from: readonly RoutedDestination[] | undefined;
  /** Jobs that are made for it, in the order of its destinations. */
  readonly produce: OutgoingRecord[];
}

/** The clock is looked at after each so many jobs: one of 32 KB takes up to 0.1 ms, and a source may have thousands of destinations. */
const JOBS_A_LOOK = 16;

const DUPLICATE: Outcome = { kind: "drop", reason: "duplicate" };
const SUPPRESSED: Outcome = { kind: "drop", reason: "suppressed" };

export function createRouteCalls(parts: RouteCallsParts): Step<Call> {
  const { confirmations, windows, destinations, recordCall, suppressions, telemetry, turns } = parts;

  /** False: there was no time for all of its jobs, or no room to begin with them. */
  function end(call: CallInProgress, outcome: Outcome): boolean {
    const { produce, record, settle } = call;
    const taking = outcome.kind === "forward" ? outcome.destinations : [];
    if (!makeJobs(call, taking, parts)) return false;
    const said = recordCall?.(record, outcome, call.from ?? destinations.of(record.decoded.sourceId));
    if (outcome.kind === "drop") telemetry.dropped(record, outcome.reason);
    else telemetry.routed(record, taking.length);
    settle({ produce, produceAfter: said });
    return true;
  }

  /** Routes it, if there are time for all of its filters and jobs, and room. False: it has to go on in a later turn. Throws what the routing throws. */
  function advance(call: CallInProgress): boolean {
    const { decoded } = call.record;
    if (call.found === undefined && suppressions.has(decoded))
      return call.isConfirmed ? end(call, SUPPRESSED) : confirm(call, () => false);
    const from = call.from ?? destinations.of(decoded.sourceId);
    const found = call.found ?? route(decoded, from);
    if (!call.isConfirmed && !isFinal(found, confirmations.has(decoded.sourceId)))
      return confirm(call, () => destinations.of(decoded.sourceId).length > 0);
    const outcome = found.kind === "filtering" ? found.ask(turns.hasTime) : found;
    call.found = outcome ?? found;
    call.from = from;
    return outcome !== undefined && end(call, outcome);
  }

  /** Advances a call as `advance` does, but never throws. */
  function advanceLater(call: CallInProgress): boolean {
    try {
      return advance(call);
    } catch (error) {
      failOrGiveBack(call, error, parts);
      return true;
    }
  }

  return (record, settle, claim) => {
    const call = begun(record, settle, claim);
    windows.note(record, {
      use(noted) {
        if (noted === "duplicate") {
          end(call, DUPLICATE);
          return;
        }
        if (noted === "again") telemetry.repeated();
        if (turns.has(record.decoded.sourceId) || !advance(call)) waitForTurn(call);
      },
      fail: (error) => fail(call, error, parts),
      giveBack: () => claim.giveBack(),
    });
  };

  function waitForTurn(call: CallInProgress): void {
    const { record, claim } = call;
    turns.wait(record.decoded.sourceId, {
      partition: record.partition,
      goOn() {
        if (claim.isOurs) return advanceLater(call) ? "ended" : "more";
        // They come behind it.
        confirmations.revoked([record]);
        return "lost";
      },
      giveBack: () => claim.giveBack(),
    });
  }

  function confirm(call: CallInProgress, isKept: Undecided["isKept"]): true {
    const { record, claim } = call;
    const { sourceId } = record.decoded;
    confirmations.wait(sourceId, {
      partition: record.partition,
      isKept,
      decide() {
        if (!claim.isOurs) return false;
        call.isConfirmed = true;
        if (turns.has(sourceId) || !advanceLater(call)) waitForTurn(call);
        return true;
      },
      giveBack: () => claim.giveBack(),
    });
    return true;
  }
}

function begun(record: Received<Call>, settle: Settle, claim: Claim): CallInProgress {
  return { record, settle, claim, isConfirmed: false, found: undefined, from: undefined, produce: [] };
}

type FailingParts = Pick<RouteCallsParts, "records" | "telemetry">;

/** A call that can be neither routed nor dead-lettered is stepped again; the reader ends it as it ends a step that throws. */
function failOrGiveBack(call: CallInProgress, error: unknown, parts: FailingParts): void {
  try {
    fail(call, error, parts);
  } catch {
    call.claim.giveBack();
  }
}

/** Ends a call that waited: the reader has left its step. */
function fail(
  { record, settle }: CallInProgress,
  error: unknown,
  { records, telemetry }: FailingParts,
): void {
  const reason = error instanceof Error ? error : new Error(String(error));
  const letter = records.deadLetter(record, reason);
  telemetry.rejected(record, reason);
  settle({ produce: [letter] });
}

/** False: there was no time for all of them, or no room. A call that has begun looks for time alone. */
function makeJobs(
  { produce, record }: CallInProgress,
  taking: readonly RoutedDestination[],
  { records, turns }: Pick<RouteCallsParts, "records" | "turns">,
): boolean {
  if (produce.length === 0 && taking.length > 0 && !turns.hasRoom()) return false;
  for (const destination of taking.slice(produce.length)) {
    const isLook = produce.length % JOBS_A_LOOK === 0 && produce.length > 0;
    if (isLook && !turns.hasTime()) return false;
    produce.push(records.job(record.decoded, destination));
  }
  return true;
}

/** The configuration has no part in a sender's wish; what it says of destinations counts once nothing of the source waits. */
function isFinal(found: Route | Filtering, isBehindOthers: boolean): boolean {
  if (found.kind === "drop" && found.reason === "integration_off") return true;
  return !isBehindOthers && !(found.kind === "drop" && found.reason === "no_destination");
}
