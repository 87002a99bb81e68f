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
    };

const refused = (rejection: Rejection): Judgement => ({ kind: "refused", rejection });

/** Validates and normalises every call of the request (contract 7.4: a batch is accepted in part). */
export function judgeCalls(route: TrackingRoute, body: unknown, facts: RequestFacts): Judgement {
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

function judgeBatch(body: unknown, facts: RequestFacts): Judgement {
  const reading = readBatch(body, facts.sizeBytes);
  if (!reading.ok) return refused({ code: reading.code, message: reading.message });
  const { calls: raw, root, sentAt } = reading.batch;
  const context: AcceptContext = {
    receivedAtMs: facts.receivedAtMs,
    ip: facts.ip,
    fromBrowser: facts.fromBrowser,
    newMessageId: facts.newMessageId,
    sizeIsBounded: facts.sizeBytes <= MAX_CALL_BYTES,
    root,
    sentAt,
  };
  const calls: AcceptedCall[] = [];
  const rejected: IndexedRejection[] = [];
  for (const [index, one] of raw.entries()) {
    const acceptance = acceptCall(one, context);
    if (acceptance.ok) calls.push(acceptance.call);
    else rejected.push({ index, code: acceptance.code, message: acceptance.message });
  }
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
