// From a parsed body to the calls to store and the calls refused: pure.
import {
  type AcceptContext,
  type AcceptedCall,
  acceptCall,
  MAX_CALL_BYTES,
  type Rejection,
  readBatch,
} from "#contract";
import type { IndexedRejection } from "./refusal.ts";
import type { Route } from "./routes.ts";

export type TrackingRoute = Extract<Route, { kind: "call" | "batch" }>;

/** What is known about a request beside its body. */
export interface RequestFacts {
  readonly receivedAtMs: number;
  /** Of the body, decompressed. */
  readonly sizeBytes: number;
  readonly ip: string | undefined;
  readonly fromBrowser: boolean;
  newMessageId(): string;
  /** `grow` counts bytes that the calls come to beside the body; false when there is no room for them. */
  readonly reservation: { grow(bytes: number): boolean };
  /** Resolves in a later turn of the event loop: others' requests come in between. */
  pause(): Promise<void>;
}

export type Judgement =
  | {
      readonly kind: "accepted";
      /** At least one. */
      readonly calls: readonly AcceptedCall[];
      readonly rejected: readonly IndexedRejection[];
    }
  | {
      readonly kind: "refused";
      readonly rejection: Rejection;
      /** Each call of a batch that was refused for its calls. */
      readonly rejected?: readonly IndexedRejection[];
    }
  /** The body is small, what it comes to is not. */
  | { readonly kind: "no_room" };

const refused = (rejection: Rejection): Judgement => ({ kind: "refused", rejection });

/** What is added to each call: version, times, messageId, empty objects. */
const ADDED_BYTES = 256;

/** A root of kilobytes is written into each of thousands of calls: 16 MB take 80 ms. This much is done in one turn. */
const MERGED_BYTES_A_TURN = 1_000_000;

/**
 * Validates and normalises every call of the request (contract 7.4: a batch is accepted in part). A promise only where it takes
 * several turns of the event loop.
 */
export function judgeCalls(
  route: TrackingRoute,
  body: unknown,
  facts: RequestFacts,
): Judgement | Promise<Judgement> {
  return route.kind === "batch" ? judgeBatch(body, facts) : judgeCall(route, body, facts);
}

function judgeCall(route: TrackingRoute & { kind: "call" }, body: unknown, facts: RequestFacts): Judgement {
  const { receivedAtMs, ip, fromBrowser, newMessageId } = facts;
  const { type } = route;
  const acceptance = acceptCall(body, {
    type,
    receivedAtMs,
    ip,
    fromBrowser,
    newMessageId,
    sizeIsBounded: true,
  });
  if (acceptance.ok) return { kind: "accepted", calls: [acceptance.call], rejected: [] };
  return refused({ code: acceptance.code, message: acceptance.message });
}

function judgeBatch(body: unknown, facts: RequestFacts): Judgement | Promise<Judgement> {
  const reading = readBatch(body, facts.sizeBytes);
  if (!reading.ok) return refused({ code: reading.code, message: reading.message });
  const { calls: raw, root, sentAt, mergedBytes } = reading.batch;
  if (!facts.reservation.grow(mergedBytes + raw.length * ADDED_BYTES)) return { kind: "no_room" };
  const context: AcceptContext = {
    receivedAtMs: facts.receivedAtMs,
    ip: facts.ip,
    fromBrowser: facts.fromBrowser,
    newMessageId: facts.newMessageId,
    sizeIsBounded: facts.sizeBytes <= MAX_CALL_BYTES,
    root,
    sentAt,
  };
  const judged: Judged = { calls: [], rejected: [] };
  const turns = Math.ceil(mergedBytes / MERGED_BYTES_A_TURN);
  if (turns > 1) return judgeInTurns(raw, context, { judged, turns, pause: facts.pause });
  judgeEach(raw, context, { judged, from: 0, to: raw.length });
  return judgementOf(judged);
}

interface Judged {
  readonly calls: AcceptedCall[];
  readonly rejected: IndexedRejection[];
}

function judgeEach(
  raw: readonly unknown[],
  context: AcceptContext,
  { judged, from, to }: { readonly judged: Judged; readonly from: number; readonly to: number },
): void {
  for (let index = from; index < to; index += 1) {
    const acceptance = acceptCall(raw[index], context);
    if (acceptance.ok) judged.calls.push(acceptance.call);
    else judged.rejected.push({ index, code: acceptance.code, message: acceptance.message });
  }
}

async function judgeInTurns(
  raw: readonly unknown[],
  context: AcceptContext,
  { judged, turns, pause }: { readonly judged: Judged; readonly turns: number; pause(): Promise<void> },
): Promise<Judgement> {
  const callsATurn = Math.ceil(raw.length / turns);
  for (let from = 0; from < raw.length; from += callsATurn) {
    if (from > 0) await pause();
    judgeEach(raw, context, { judged, from, to: Math.min(from + callsATurn, raw.length) });
  }
  return judgementOf(judged);
}

function judgementOf({ calls, rejected }: Judged): Judgement {
  return calls.length > 0 ? { kind: "accepted", calls, rejected } : allRefused(rejected);
}

function allRefused(rejected: readonly IndexedRejection[]): Judgement {
  const [first] = rejected;
  if (first === undefined) throw new RangeError("a batch that was read has at least one call");
  const message =
    rejected.length === 1
      ? `batch[0]: ${first.message}`
      : `all ${rejected.length} calls are refused, the first because: ${first.message}`;
  return { kind: "refused", rejection: { code: first.code, message }, rejected };
}
