// What the operator's own webhook is told, in Standard Webhooks form (contract 4.5). Pure.
import { createHash } from "node:crypto";
import type { DestinationConfig, DestinationHealth, OperationalEvent } from "#topics";
import { issueId } from "../../http/issue-id.ts";
import { webhookFields } from "../../http/webhook-fields.ts";

const EVENT_TYPES = [
  "destination.failing",
  "destination.recovered",
  "destination.dead_lettered",
  "destination.disabled",
] as const;
type EventType = (typeof EVENT_TYPES)[number];

export type NamedDestination = Pick<DestinationConfig, "id" | "name">;

interface EventParts {
  readonly type: EventType;
  readonly destination: NamedDestination;
  /** With the type and the destination it names this very event: one that is made again after a crash gets the same id. */
  readonly occasion: string;
  readonly atMs: number;
  readonly data: object;
}

function event({ type, destination, occasion, atMs, data }: EventParts): OperationalEvent {
  const { id: destinationId, name } = destination;
  const named = JSON.stringify([type, destinationId, occasion]);
  const id = `evt_${createHash("sha256").update(named).digest("hex").slice(0, 32)}`;
  const payload = { type, timestamp: iso(atMs), data: { destinationId, name, ...data } };
  return { id, type, destinationId, atMs, body: Buffer.from(JSON.stringify(payload)) };
}

export function failingEvent(destination: NamedDestination, health: DestinationHealth): OperationalEvent {
  const { sinceMs, attemptAtMs } = health;
  const data = { since: iso(sinceMs), ...failures(health) };
  return event({
    type: "destination.failing",
    destination,
    occasion: String(sinceMs),
    atMs: attemptAtMs,
    data,
  });
}

/** `recovering` is the state before. */
export function recoveredEvent(
  destination: NamedDestination,
  recovering: DestinationHealth,
  atMs: number,
): OperationalEvent {
  const since = recovering.sinceMs;
  const data = { workingSince: iso(since) };
  return event({ type: "destination.recovered", destination, occasion: String(since), atMs, data });
}

/** `disabled` as it was written. */
export function disabledEvent(disabled: DestinationConfig, health: DestinationHealth): OperationalEvent {
  const { version, updatedAtMs: atMs, disabledReason } = disabled;
  const data = { reason: disabledReason, ...failures(health) };
  return event({
    type: "destination.disabled",
    destination: disabled,
    occasion: String(version),
    atMs,
    data,
  });
}

/** Dead letters of one destination, reported together. */
export interface DeadLetterCount {
  /** topic-partition-offset of the first of them. */
  readonly origin: string;
  readonly count: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly fromMs: number;
  readonly toMs: number;
}

export function deadLetteredEvent(destination: NamedDestination, letters: DeadLetterCount): OperationalEvent {
  const { origin, count, reasons, fromMs, toMs: atMs } = letters;
  const data = { count, reasons, from: iso(fromMs), to: iso(atMs) };
  return event({ type: "destination.dead_lettered", destination, occasion: origin, atMs, data });
}

function failures({ destinationId, webhooks }: DestinationHealth) {
  return {
    webhooks: webhooks.map(({ url, sinceMs, failures: count, outcome, status, message, lastAtMs }) => ({
      ...webhookFields(destinationId, url),
      issueId: issueId({ destinationId, url, reason: outcome }),
      failingSince: iso(sinceMs),
      consecutiveFailures: count,
      lastError: { at: iso(lastAtMs), outcome, status, message },
    })),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
