import type { Kafka } from "#kafka";
import type { Serde } from "#serde";
import type { TopicMap } from "#topics";
import type { AuditLog } from "../http/audit/parts.ts";
import { ProblemError } from "../http/problem.ts";
import { createPlaceReader } from "./places/place-reader.ts";

export interface AuditLogSources {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly index: { readonly listAuditEntries: AuditLog["list"] };
  /** Whether the index has everything of the log below these offsets, by partition number, or comes so far in time. */
  readonly covers: (ends: readonly number[], timeoutMs: number) => Promise<boolean>;
  /** End of every partition of the log now, by its number. */
  auditEnds(): Promise<number[]>;
}

/** Less than a request waits for Kafka (http/refresh.ts). */
const INDEXED_WITHIN_MS = 4_000;

/** The log as the index has it. */
export function createAuditLog({
  auditEnds,
  covers,
  index,
  kafka,
  serde,
  topics,
}: AuditLogSources): AuditLog {
  const reader = createPlaceReader({ kafka, serde, topic: topics.auditLog });
  return {
    list: (filter, page) => index.listAuditEntries(filter, page),
    async read(wanted, signal) {
      const places = wanted.map(({ place }) => place).sort((one, other) => one - other);
      const entries = await reader.read(places, signal);
      return new Map(Array.from(entries.values(), (entry) => [entry.id, entry]));
    },
    async refresh() {
      if (!(await covers(await auditEnds(), INDEXED_WITHIN_MS)))
        throw new ProblemError("unavailable", "the audit log is still being read");
    },
  };
}
