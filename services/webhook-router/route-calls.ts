// The step: one call in, its delivery jobs out. What is left behind when the process dies, line by line:
//
//   note → (1) → route → (2) → settle: jobs produced → (3) → acknowledged → (4) → marked done → (5) → committed
//
//   (1)-(3) Nothing has left the process. The record is read again from the last commit. If the window's write with
//           this id was durable, it is found with its own offset ("again"), which is no duplicate: it is routed.
//   (3)-(5) Some or all of the jobs are in Kafka, the offset is not committed. The record is routed again and makes
//           the same jobs with the same ids; the deliverer skips what it has seen, and the receiver gets the same
//           messageId in the worst case.
//   (5)     Done. A later copy of the call has a larger offset and is dropped as a duplicate.
//
// The window may be ahead of the commit (the cases above) or behind it: the commit can be durable before the window's
// write is. So before a record is stepped the window is brought up to its offset from the log (dedupe-windows.ts).
// A configuration change between two readings may route the second reading otherwise; that is the rule (contract 3.6).
import type { Received, Step } from "#kafka";
import type { Call } from "#topics";
import type { DedupeWindows } from "./dedupe-windows.ts";
import type { DestinationIndex } from "./destination-index.ts";
import type { RouterRecords } from "./records.ts";
import { route } from "./route.ts";
import type { Telemetry } from "./telemetry.ts";

export interface RouteCallsParts {
  readonly windows: DedupeWindows;
  readonly destinations: Pick<DestinationIndex, "of">;
  readonly records: RouterRecords;
  readonly telemetry: Telemetry;
}

export function createRouteCalls({ windows, destinations, records, telemetry }: RouteCallsParts): Step<Call> {
  function jobsOf(record: Received<Call>) {
    const call = record.decoded;
    const found = route(call, destinations.of(call.sourceId));
    if (found.kind === "drop") {
      telemetry.dropped(record, found.reason);
      return [];
    }
    const jobs = found.destinations.map((destination) => records.job(call, destination));
    telemetry.routed(record, jobs.length);
    return jobs;
  }

  return (record, settle, claim) =>
    windows.note(record, {
      use(noted) {
        if (noted === "again") telemetry.repeated();
        if (noted === "duplicate") telemetry.dropped(record, "duplicate");
        settle({ produce: noted === "duplicate" ? [] : jobsOf(record) });
      },
      fail(error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        const letter = records.deadLetter(record, reason);
        telemetry.rejected(record, reason);
        settle({ produce: [letter] });
      },
      giveBack: () => claim.giveBack(),
    });
}
