// Which of a destination's waiting calls a retry request means.
import { userIn, userKey } from "#contract";
import type { DeliveryJob, RetryRequest } from "./records.generated.ts";

/** At most one of the two ids of a user is given. */
export type RetryChoice = Pick<RetryRequest, "messageIds" | "userId" | "anonymousId">;

export const EVERY_CALL: RetryChoice = { messageIds: null, userId: null, anonymousId: null };

export class ChosenCalls {
  readonly #messageIds: ReadonlySet<string> | undefined;
  /** "" is everybody. */
  readonly #user: string;

  constructor({ messageIds, ...user }: RetryChoice) {
    this.#messageIds = messageIds === null ? undefined : new Set(messageIds);
    this.#user = userKey(user);
  }

  /** How many message ids it names. */
  get size(): number {
    return this.#messageIds?.size ?? 0;
  }

  has(job: DeliveryJob): boolean {
    if (this.#messageIds?.has(job.messageId) === false) return false;
    return this.#user === "" || this.#user === userKey(userIn(job));
  }

  /** Whether all calls of the other choice are of this one, too. */
  covers(other: ChosenCalls): boolean {
    if (this.#user !== "" && this.#user !== other.#user) return false;
    const own = this.#messageIds;
    if (own === undefined) return true;
    if (other.#messageIds === undefined || other.size > own.size) return false;
    return [...other.#messageIds].every((id) => own.has(id));
  }
}
