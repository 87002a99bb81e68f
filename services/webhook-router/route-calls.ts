// The step: one call in, its delivery jobs out. What is left behind when the process dies, line by line:
//
//   note → (1) → route → (2) → settle: jobs produced → (3) → acknowledged → (4) → marked done → (5) → committed
//
//   (1)-(3) Nothing has left the process. The record is read again from the last commit. If the window's write with
//           this id was durable, it is found with its own offset ("again"), which is no duplicate: it is routed.
//   (3)-(5) Some or all of the jobs are in Kafka, and the record of what became of the call if one is asked for; the offset is not committed. The record is routed again and makes
//           the same jobs with the same ids; the deliverer skips what it has seen, and the receiver gets the same
//           messageId in the worst case.
//   (5)     Done. A later copy of the call has a larger offset and is dropped as a duplicate.
//
// The window may be ahead of the commit (the cases above) or behind it: the commit can be durable before the window's
// write is. So before a record is stepped the window is brought up to its offset from the log (dedupe-windows.ts).
// A call for which there is no destination waits between (1) and (2) for a look at the configuration's end (confirmations.ts).
// A configuration change between two readings may route the second reading otherwise; that is the rule (contract 3.6).
import type { Claim, Received, Settle, Step } from "#kafka";
import type { Call } from "#topics";
import type { Confirmations } from "./confirmations.ts";
import type { DedupeWindows } from "./dedupe-windows.ts";
import type { DestinationIndex } from "./destination-index.ts";
import type { RouterRecords } from "./records.ts";
import { type Outcome, type Route, route } from "./route.ts";
import type { RecordCall } from "./routed-calls.ts";
import type { Telemetry } from "./telemetry.ts";

export interface RouteCallsParts {
  readonly windows: Pick<DedupeWindows, "note">;
  readonly confirmations: Pick<Confirmations, "has" | "wait">;
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
}

const DUPLICATE: Outcome = { kind: "drop", reason: "duplicate" };

export function createRouteCalls(parts: RouteCallsParts): Step<Call> {
  const { windows, destinations, records, recordCall, telemetry } = parts;

  const routeOf = ({ decoded: call }: Received<Call>): Route => route(call, destinations.of(call.sourceId));

  function end({ record, settle }: CallInProgress, outcome: Outcome): void {
    const taking = outcome.kind === "forward" ? outcome.destinations : [];
    const produce = taking.map((destination) => records.job(record.decoded, destination));
    if (recordCall !== undefined)
      produce.push(recordCall(record, outcome, destinations.of(record.decoded.sourceId)));
    if (outcome.kind === "drop") telemetry.dropped(record, outcome.reason);
    else telemetry.routed(record, taking.length);
    settle({ produce });
  }

  /** For a call that waited: the reader has left its step. */
  function fail({ record, settle }: CallInProgress, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    const letter = records.deadLetter(record, reason);
    telemetry.rejected(record, reason);
    settle({ produce: [letter] });
  }

  /** Never throws: what can be neither routed nor a dead letter is stepped again, and ends as the reader ends a step that throws. */
  function endLater(call: CallInProgress): void {
    try {
      end(call, routeOf(call.record));
    } catch (error) {
      try {
        fail(call, error);
      } catch {
        call.claim.giveBack();
      }
    }
  }

  return (record, settle, claim) => {
    const call = { record, settle, claim };
    windows.note(record, {
      use(noted) {
        if (noted === "duplicate") {
          end(call, DUPLICATE);
          return;
        }
        if (noted === "again") telemetry.repeated();
        const found = routeOf(record);
        if (isFinal(found, parts.confirmations.has(record.decoded.sourceId))) end(call, found);
        else confirm(call);
      },
      fail: (error) => fail(call, error),
      giveBack: () => claim.giveBack(),
    });
  };

  function confirm(call: CallInProgress): void {
    const { record, claim } = call;
    parts.confirmations.wait(record.decoded.sourceId, {
      partition: record.partition,
      decide() {
        if (!claim.isOurs) {
          claim.giveBack();
          return;
        }
        endLater(call);
      },
      giveBack: () => claim.giveBack(),
    });
  }
}

/** The configuration has no part in a sender's wish; what it says of destinations counts once nothing of the source waits. */
function isFinal(found: Route, isBehindOthers: boolean): boolean {
  if (found.kind === "drop" && found.reason === "integration_off") return true;
  return !isBehindOthers && !(found.kind === "drop" && found.reason === "no_destination");
}
