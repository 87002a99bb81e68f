import type kafkajs from "kafkajs";
import type { Host } from "#host";
import { backoffMs } from "./backoff.ts";
import { fromClientError, KafkaError } from "./errors.ts";

const TRIES = 4;

const RETRY_MS = { first: 100, max: 1_000 };

/** The client's admin, connected on first use and made anew after a failure: a broken one does not always mend itself. */
export class AdminClient {
  readonly #client: kafkajs.Kafka;
  #admin: Promise<kafkajs.Admin> | undefined;
  readonly #host: Host;
  #isClosed = false;

  constructor(client: kafkajs.Kafka, host: Host) {
    this.#client = client;
    this.#host = host;
  }

  /** Runs `use`, again on errors that may pass. Rejects with a KafkaError. */
  async run<R>(use: (admin: kafkajs.Admin) => Promise<R>, tries: number = TRIES): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#isClosed) throw new KafkaError("closed", "the admin client is closed", { canRetry: false });
      try {
        return await use(await this.#connected());
      } catch (thrown) {
        const error = fromClientError(thrown);
        if (error.code === "unavailable" || error.code === "request_failed") await this.#disconnect();
        if (attempt >= tries || !error.canRetry) throw error;
        await this.#host.delay(backoffMs(attempt, RETRY_MS, this.#host));
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    if (admin !== undefined) await admin.then((open) => open.disconnect()).catch(() => undefined);
  }

  #connected(): Promise<kafkajs.Admin> {
    this.#admin ??= this.#connect();
    return this.#admin;
  }

  async #connect(): Promise<kafkajs.Admin> {
    const admin = this.#client.admin();
    try {
      await admin.connect();
      return admin;
    } catch (thrown) {
      this.#admin = undefined;
      throw thrown;
    }
  }
}
