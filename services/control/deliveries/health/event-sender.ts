// Sends operational events to the operator's own webhook: one destination's in their order, each until it is taken or too old.
import { deliveryHeaders, WINDOW_MS } from "#contract";
import type { Egress } from "#egress";
import type { Claim, Ownership, Step } from "#kafka";
import type { OperationalEvent } from "#topics";

export interface EventSenderOptions {
  readonly egress: Pick<Egress, "post">;
  readonly url: string;
  /** Signs; without one the event says only its id and time. */
  readonly secret: string | undefined;
  readonly userAgent: string;
  readonly deadlineMs: number;
  readonly observer: EventObserver;
  /** Resolves after the time, or earlier when the service stops. */
  readonly wait: (delayMs: number) => Promise<void>;
  readonly isStopping: () => boolean;
  readonly nowMs: () => number;
}

export interface EventObserver {
  delivered(): void;
  /** It will be tried again. */
  failed(event: OperationalEvent, why: string): void;
  /** It is given up. */
  expired(event: OperationalEvent): void;
}

/** As long as a call is retried (contract 3.5): after that an event is history. */
const MAX_AGE_MS = WINDOW_MS;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface EventSender {
  readonly step: Step<OperationalEvent>;
  /** Partitions were lost: gives back what was left when the service began to stop. */
  revoked(): void;
}

/**
 * An event that is not through when its partition is lost is given back. One that is not through when the service stops stays in hand until
 * then: given back while its partition is still read here it would come again at once, and again, and nothing else would have its turn.
 */
export function createEventSender(options: EventSenderOptions): EventSender {
  const last = new Map<string, Promise<void>>();
  let left: Claim[] = [];
  const step: Step<OperationalEvent> = ({ decoded: event }, settle, claim) => {
    const { destinationId } = event;
    const sent = (last.get(destinationId) ?? Promise.resolve()).then(async () => {
      if (await isThrough(event, options, claim)) settle({ produce: [] });
      else if (claim.isOurs) left.push(claim);
      else claim.giveBack();
    });
    last.set(destinationId, sent);
    void sent.then(() => {
      if (last.get(destinationId) === sent) last.delete(destinationId);
    });
  };
  return {
    step,
    revoked() {
      const claims = left;
      left = [];
      for (const claim of claims) claim.giveBack();
    },
  };
}

/** False: the service stops before, or the event is another member's to send. */
async function isThrough(
  event: OperationalEvent,
  options: EventSenderOptions,
  claim: Ownership,
): Promise<boolean> {
  const { observer, isStopping, nowMs, wait } = options;
  for (
    let pauseMs = FIRST_PAUSE_MS;
    claim.isOurs && !isStopping();
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  ) {
    if (nowMs() - event.atMs > MAX_AGE_MS) {
      observer.expired(event);
      return true;
    }
    const why = await post(event, options);
    if (why === undefined) {
      observer.delivered();
      return true;
    }
    observer.failed(event, why);
    await wait(pauseMs);
  }
  return false;
}

/** Undefined when it was taken, else why not. */
async function post(
  { id, body }: OperationalEvent,
  options: EventSenderOptions,
): Promise<string | undefined> {
  const { egress, url, secret, userAgent, deadlineMs, nowMs } = options;
  const secrets = secret === undefined ? [] : [secret];
  const standardWebhooks = { messageId: id, secrets, nowMs: nowMs() };
  const headers = deliveryHeaders({ body, staticHeaders: {}, standardWebhooks, userAgent });
  const result = await egress.post({ url, headers, body, deadlineMs });
  if (result.kind === "failure") return result.message;
  return result.status >= 200 && result.status < 300 ? undefined : `status ${result.status}`;
}
