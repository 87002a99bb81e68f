// The judgement of a parsed body: which calls to store, and which to refuse. Pure.
import {
  type AcceptContext,
  type AcceptedCall,
  acceptCall,
  MAX_CALL_BYTES,
  type Rejection,
  readBatch,
} from "#contract";
import { WorkInTurns } from "#host";
import { BYTES_A_TURN } from "../limits/bytes-a-turn.ts";
import type { IndexedRejection, IndexedWarning } from "../refusal.ts";
import type { Route } from "../routes.ts";
import { UnparsedCall } from "./batch-text.ts";

export type TrackingRoute = Extract<Route, { kind: "call" | "batch" }>;

/** Facts about a request beside its body. */
export interface RequestFacts {
  readonly receivedAtMs: number;
  /** The size of the body, decompressed. */
  readonly sizeBytes: number;
  readonly ip: string | undefined;
  readonly fromBrowser: boolean;
  newMessageId(): string;
  /** `grow` counts bytes that the calls come to beside the body; false when there is no room for them. */
  readonly reservation: { grow(bytes: number): boolean };
  /** Resolves in a later turn of the event loop. */
  pause(): Promise<void>;
}

export type Judgement =
  | {
      readonly kind: "accepted";
      /** The accepted calls, at least one. */
      readonly calls: readonly AcceptedCall[];
      readonly rejected: readonly IndexedRejection[];
      readonly warnings: readonly IndexedWarning[];
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

/** Bytes added to each call: version, times, messageId, empty objects. */
const ADDED_BYTES = 256;

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
  if (acceptance.ok) {
    const { warning } = acceptance.call;
    const warnings = warning === undefined ? [] : [{ index: 0, ...warning }];
    return { kind: "accepted", calls: [acceptance.call], rejected: [], warnings };
  }
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
  const judging: Judging = { context, judged: { calls: [], rejected: [], warnings: [] } };
  const workBytes = facts.sizeBytes + mergedBytes;
  if (workBytes <= BYTES_A_TURN) {
    for (let index = 0; index < raw.length; index += 1) judgeOne(raw, index, judging);
    return judgementOf(judging.judged);
  }
  const isParsed = !(raw[0] instanceof UnparsedCall);
  const bytesOfEach = (isParsed ? workBytes : mergedBytes) / raw.length;
  return judgeInTurns(raw, judging, { bytesOfEach, pause: facts.pause });
}

interface Judged {
  readonly calls: AcceptedCall[];
  readonly rejected: IndexedRejection[];
  readonly warnings: IndexedWarning[];
}

interface Judging {
  readonly context: AcceptContext;
  readonly judged: Judged;
}

const TOO_LARGE: Rejection = {
  code: "message_too_large",
  message: `the call has more than ${MAX_CALL_BYTES} bytes, the most that is allowed`,
};

function judgeOne(raw: readonly unknown[], index: number, { context, judged }: Judging): void {
  const call = raw[index];
  if (call instanceof UnparsedCall && call.isTooLarge) {
    judged.rejected.push({ index, ...TOO_LARGE });
    return;
  }
  const acceptance = acceptCall(call instanceof UnparsedCall ? call.parse() : call, context);
  if (!acceptance.ok) {
    judged.rejected.push({ index, code: acceptance.code, message: acceptance.message });
    return;
  }
  const { call: accepted } = acceptance;
  judged.calls.push(accepted);
  if (accepted.warning !== undefined) judged.warnings.push({ index, ...accepted.warning });
}

interface InTurns {
  /** The bytes of a call beside its own where these are known, else with them. */
  readonly bytesOfEach: number;
  pause(): Promise<void>;
}

async function judgeInTurns(
  raw: readonly unknown[],
  judging: Judging,
  { bytesOfEach, pause }: InTurns,
): Promise<Judgement> {
  const work = new WorkInTurns({ pause, bytesATurn: BYTES_A_TURN });
  for (let index = 0; index < raw.length; index += 1) {
    const call = raw[index];
    const bytes = bytesOfEach + (call instanceof UnparsedCall ? call.sizeBytes : 0);
    const later = work.begin(bytes);
    if (later !== undefined) await later;
    judgeOne(raw, index, judging);
  }
  return judgementOf(judging.judged);
}

function judgementOf({ calls, rejected, warnings }: Judged): Judgement {
  return calls.length > 0 ? { kind: "accepted", calls, rejected, warnings } : allRefused(rejected);
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
