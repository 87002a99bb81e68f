import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import type { ClusterAdmin } from "../cluster.ts";
import { fromClientError, KafkaError, type KafkaErrorCode } from "../errors.ts";

const TRIES = 4;

const RETRY_MS = { first: 100, max: 1_000 };

/** The client asks for every topic that it was ever asked about: one that is gone makes all its other questions fail, too. */
const REPLACED_AFTER: ReadonlySet<KafkaErrorCode> = new Set([
  "unavailable",
  "request_failed",
  "unknown_topic",
]);

/** The cluster's admin, tried again and replaced after a failure: a broken one does not always mend itself. */
export class AdminClient {
  readonly #admin: ClusterAdmin;
  readonly #host: Host;
  #isClosed = false;

  constructor(admin: ClusterAdmin, host: Host) {
    this.#admin = admin;
    this.#host = host;
  }

  /** Runs `use`, again on errors that may pass. Rejects with a KafkaError. */
  async run<R>(use: (admin: ClusterAdmin) => Promise<R>, tries: number = TRIES): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isClosed) throw new KafkaError("closed", "the admin client is closed", { canRetry: false });
      try {
        return await use(this.#admin);
      } catch (thrown) {
        const error = fromClientError(thrown);
        if (REPLACED_AFTER.has(error.code)) await this.#admin.reset();
        if (attempt >= tries || !error.canRetry) throw error;
        await this.#host.delay(backoffMs(attempt, RETRY_MS, this.#host));
      }
    }
  }

  /** Closes the client. Running tries end, and none is repeated. */
  close(): void {
    this.#isClosed = true;
  }
}
