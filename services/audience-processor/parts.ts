import type { countRecordsLost } from "#runtime";
import type { OpenStore } from "#state";
import type { Connection, ProcessorContext } from "./connection.ts";
import type { ProcessorRecords } from "./records.ts";
import type { Telemetry } from "./telemetry.ts";

/** What both runners are made of. */
export interface Parts {
  readonly context: ProcessorContext;
  readonly connection: Connection;
  readonly telemetry: Telemetry;
  readonly records: ProcessorRecords;
  readonly openStore: OpenStore;
  readonly onRecordsLost: ReturnType<typeof countRecordsLost>;
}

/** Records taken and not settled, of each runner; a batch of profiles is made of them. */
export const MAX_OUTSTANDING = { records: 2_000, bytes: 32 * 1024 * 1024 };
