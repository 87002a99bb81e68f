// Who changed what: an entry is on all in-sync replicas before the change that it says is written. Where that is refused then, the entry is
// written once more, as one that was not made: the last record of an id counts.
import type { Producer } from "#kafka";
import type { Serde } from "#serde";
import type { AuditEntry, Topic } from "#topics";
import type { Ids } from "../../ids.ts";
import type { Actor } from "../caller.ts";
import { ProblemError } from "../problem.ts";
import { changeOf } from "./changes.ts";

export const AUDIT_ACTIONS = [
  "created",
  "updated",
  "deleted",
  "started",
  "cancelled",
  "confirmed",
  "retried",
  "acknowledged",
  "snoozed",
  "resolved",
  "reopened",
] as const;
type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const AUDITED_RESOURCES = [
  "source",
  "destination",
  "audience",
  "computed_trait",
  "replay",
  "regulation",
  "import",
  "issue",
] as const;
export type AuditedResource = (typeof AUDITED_RESOURCES)[number];

/** A change that is about to be written. What is shown holds no secret: it is kept for ninety days. */
export interface AuditedChange {
  readonly by: Actor;
  readonly action: AuditAction;
  readonly resource: AuditedResource;
  readonly resourceId: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** An entry whose change may still be refused. */
interface WrittenEntry {
  /** Durable when it resolves. Only of a change that surely was not made. */
  notMade(): Promise<void>;
}

export interface Audit {
  /** Durable when it resolves. Rejects with a KafkaError, or a ProblemError when it is too late; the change must not be made then. */
  record(change: AuditedChange): Promise<WrittenEntry>;
}

interface AuditParts {
  readonly topic: Topic<"audit-entry">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
  readonly ids: Pick<Ids, "newAuditId">;
  nowMs(): number;
}

export function createAudit({ topic, producer, serde, ids, nowMs }: AuditParts): Audit {
  const write = (entry: AuditEntry): Promise<void> =>
    producer.send([{ topic: topic.name, key: entry.id, value: serde.encode(topic, entry) }]);
  return {
    async record({ by, action, resource, resourceId, before, after }) {
      const { changesUntilMs = Number.POSITIVE_INFINITY, claim = "", requestId, token } = by;
      const atMs = nowMs();
      if (atMs > changesUntilMs)
        throw new ProblemError("unavailable", "the request has taken too long; nothing was changed");
      const change = changeOf({ before, after });
      const entry: AuditEntry = {
        id: ids.newAuditId(),
        atMs,
        token,
        requestId,
        action,
        resource,
        resourceId,
        before: change.before === null ? null : JSON.stringify(change.before),
        after: change.after === null ? null : JSON.stringify(change.after),
        isMade: true,
        claim,
      };
      await write(entry);
      return { notMade: () => write({ ...entry, isMade: false }) };
    },
  };
}
