// Sends operational events to the operator's own webhook: one destination's in their order, each until it is taken or too old.
import { deliveryHeaders } from "#contract";
import type { Egress } from "#egress";
import type { Ownership, Step } from "#kafka";
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
const MAX_AGE_MS = 4 * 3_600_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** The step of the events' runner. An event that is not through when its partition is lost or the service stops is given back. */
export function createEventSender(options: EventSenderOptions): Step<OperationalEvent> {
  const last = new Map<string, Promise<void>>();
  return ({ decoded: event }, settle, claim) => {
    const { destinationId } = event;
    const sent = (last.get(destinationId) ?? Promise.resolve()).then(async () => {
      if (await isThrough(event, options, claim)) settle({ produce: [] });
      else claim.giveBack();
    });
    last.set(destinationId, sent);
    void sent.then(() => {
      if (last.get(destinationId) === sent) last.delete(destinationId);
    });
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
