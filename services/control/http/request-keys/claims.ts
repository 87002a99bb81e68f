// A request with an Idempotency-Key is carried out once, whichever process of control it comes to, and how often (decision 83).
import type { Host } from "#host";
import { KafkaError, type Producer, type Table } from "#kafka";
import { type SecretBox, SecretError } from "#secrets";
import type { Serde } from "#serde";
import type { RequestKey, Topic } from "#topics";
import type { AuditLog } from "../audit/parts.ts";
import { ProblemError, refused } from "../problem.ts";
import { refreshAll } from "../refresh.ts";
import type { Held, RequestKeys } from "./request-keys.ts";
import { type KeptAnswer, NOTHING_SEALED, openAnswer, openBody, sealAnswer, sealBody } from "./sealed.ts";

export const KEY_HEADER = "idempotency-key";
/** No request takes longer; one that has not ended by then is taken for dead. */
const REQUEST_WITHIN_MS = 60_000;
/** Before that, for a change that is on its way to Kafka, and for clocks that differ. */
const LAST_CHANGE_BEFORE_MS = 10_000;
/** Changes of one request that an answer names. */
const NAMED_CHANGES = 100;
/** A person or program is waiting. */
const ANSWER_WITHIN_MS = 5_000;
const VISIBLE_WITHIN_MS = 10_000;

/** A request that may come again. */
export interface KeyedRequest {
  /** Hash of whose key it is, of what, and of the key. */
  readonly id: string;
  readonly bodyHash: string;
  readonly requestId: string;
  /** Its name. */
  readonly token: string;
}

/** The right to carry a request out. */
export interface Claim {
  readonly kind: "claim";
  readonly begun: RequestKey;
  /** Unix ms: a change that is not begun by then is not made, as the request is taken for dead then, and may be carried out again. */
  readonly changesUntilMs: number;
}

/** What the request was answered before. */
interface Repeat {
  readonly kind: "repeat";
  readonly answer: KeptAnswer;
}

export interface ClaimParts {
  readonly keys: RequestKeys;
  readonly topic: Topic<"request-key">;
  readonly table: Pick<Table<RequestKey>, "until">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
  readonly secrets: Pick<SecretBox, "encrypt" | "decrypt">;
  /** Every change has an entry before it is made. */
  readonly auditLog: Pick<AuditLog, "list" | "refresh">;
  readonly host: Pick<Host, "setTimeout" | "elapsed" | "uuid">;
  nowMs(): number;
}

/** How a request has ended: with an answer that is kept, refused without a change, with an answer that is too large to keep, or so that it is not known whether it made one. */
export type Ending =
  | { readonly state: "finished"; readonly answer: KeptAnswer }
  | { readonly state: "released" | "unkept" | "unknown" };

/** The request is under way, here or in another process: the same one may be sent again in a while. */
export class UnderWay extends ProblemError {
  constructor() {
    super(
      "conflict",
      "the first request with this Idempotency-Key is under way: send this one again in a while",
    );
  }
}

/**
 * Resolves with the right to carry the request out, durable, or with what it was answered before. Waits for a first request that is under
 * way for five seconds. Rejects with a ProblemError when the key is another body's, or when it is not known what the first request has
 * changed; with a KafkaError when nothing was begun.
 */
export async function claimOrRepeat(parts: ClaimParts, request: KeyedRequest): Promise<Claim | Repeat> {
  const { host, keys, nowMs } = parts;
  const endMs = host.elapsed() + ANSWER_WITHIN_MS;
  for (;;) {
    const held = keys.get(request.id, nowMs());
    const begun =
      held === undefined ? await begin(parts, request, null) : await behind(parts, request, held, endMs);
    if (begun?.kind === "repeat") return begun;
    if (begun !== undefined && keys.get(request.id, nowMs())?.begun.claim === begun.begun.claim) return begun;
  }
}

/** Undefined when the one that holds the key has ended meanwhile. */
async function behind(
  parts: ClaimParts,
  request: KeyedRequest,
  { begun, last }: Held,
  endMs: number,
): Promise<Claim | Repeat | undefined> {
  const { nowMs } = parts;
  const kept = await opened(parts, { begun, last });
  if (kept.bodyHash !== request.bodyHash)
    throw refused([
      { path: "Idempotency-Key", message: "was used for a request with another body: take a new key" },
    ]);
  if (kept.answer !== undefined) return { kind: "repeat", answer: kept.answer };
  if (last.state === "unkept") throw await unkept(parts, begun);
  if (last.state === "begun" && nowMs() - begun.atMs < REQUEST_WITHIN_MS) {
    await untilChanged(parts, last, endMs);
    return undefined;
  }
  await checkUnchanged(parts, begun);
  return await begin(parts, request, begun.claim);
}

interface Kept {
  readonly bodyHash: string;
  /** Undefined of a request without one. */
  readonly answer: KeptAnswer | undefined;
}

/** Throws a 409 that names what was changed when it was encrypted with a key that was removed since. */
async function opened(parts: ClaimParts, { begun, last }: Held): Promise<Kept> {
  const { secrets } = parts;
  try {
    const answer = last.state === "finished" ? openAnswer(secrets, last) : undefined;
    return { bodyHash: openBody(secrets, begun), answer };
  } catch (error) {
    if (!(error instanceof SecretError) || error.code !== "unknown_key") throw error;
    const changes = await changesOf(parts, begun);
    const said = changes === "" ? "no change of it is in the audit log" : `it may have changed ${changes}`;
    throw new ProblemError(
      "conflict",
      `what is kept of the first request with this Idempotency-Key cannot be read: ${error.message}. Put the key back into HOOKLINE_ENCRYPTION_KEYS, or look at what was changed (${said}) and take a new Idempotency-Key`,
    );
  }
}

async function begin(
  parts: ClaimParts,
  { id, bodyHash, requestId, token }: KeyedRequest,
  follows: string | null,
): Promise<Claim> {
  const { keys, table, secrets, host, nowMs } = parts;
  keys.forget(nowMs());
  if (keys.isFullFor(token))
    throw new ProblemError(
      "unavailable",
      `no more Idempotency-Keys of the token ${token} are taken now; nothing was begun`,
    );
  const claim = host.uuid();
  const atMs = nowMs();
  const sealed = sealBody(secrets, claim, bodyHash);
  const begun: RequestKey = { id, claim, follows, state: "begun", requestId, atMs, token, ...sealed };
  keys.await(claim);
  try {
    await write(parts, begun);
    await table.until(() => keys.hasRead(claim), VISIBLE_WITHIN_MS);
  } finally {
    keys.abandon(claim);
  }
  return { kind: "claim", begun, changesUntilMs: atMs + REQUEST_WITHIN_MS - LAST_CHANGE_BEFORE_MS };
}

/** Durable when it resolves. Rejects with a KafkaError: the key is then held until the request is taken for dead. */
export async function end(parts: ClaimParts, { begun }: Claim, ending: Ending): Promise<void> {
  const { secrets } = parts;
  const sealed =
    ending.state === "finished" ? sealAnswer(secrets, begun.claim, ending.answer) : NOTHING_SEALED;
  await write(parts, { ...begun, follows: null, state: ending.state, ...sealed });
}

async function write({ producer, serde, topic }: ClaimParts, record: RequestKey): Promise<void> {
  await producer.send([{ topic: topic.name, key: record.id, value: serde.encode(topic, record) }]);
}

async function untilChanged(parts: ClaimParts, last: RequestKey, endMs: number): Promise<void> {
  const { host, keys, nowMs, table } = parts;
  const leftMs = endMs - host.elapsed();
  if (leftMs <= 0) throw new UnderWay();
  try {
    await table.until(() => keys.get(last.id, nowMs())?.last !== last, leftMs);
  } catch (error) {
    if (error instanceof KafkaError && error.code === "table_timeout") throw new UnderWay();
    throw error;
  }
}

/** Throws a 409 that names what the request may have changed; what has no entry in the audit log was not changed. */
async function checkUnchanged(parts: ClaimParts, begun: RequestKey): Promise<void> {
  const changes = await changesOf(parts, begun);
  if (changes === "") return;
  throw new ProblemError(
    "conflict",
    `the outcome of the first request with this Idempotency-Key is unknown, it may have changed something (${changes}): look at that, and take a new key for another try`,
  );
}

async function unkept(parts: ClaimParts, begun: RequestKey): Promise<ProblemError> {
  const changes = await changesOf(parts, begun);
  return new ProblemError(
    "conflict",
    `the first request with this Idempotency-Key was carried out (${changes}); its answer was too large to be kept: look at what it has changed`,
  );
}

/** What the audit log has of the request, for people; "" for nothing. */
async function changesOf({ auditLog, host }: ClaimParts, begun: RequestKey): Promise<string> {
  const { atMs: fromMs, claim, requestId } = begun;
  await refreshAll([auditLog], host);
  return auditLog
    .list({ requestId, claim, fromMs, isMade: true }, { limit: NAMED_CHANGES })
    .toReversed()
    .map(({ action, resource, resourceId }) => `${resource} ${resourceId} ${action}`)
    .join(", ");
}
