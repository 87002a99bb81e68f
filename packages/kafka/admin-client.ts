import type kafkajs from "kafkajs";
import { backoffMs } from "./backoff.ts";
import { fromClientError, type KafkaError } from "./errors.ts";

const TRIES = 4;

/** The client's admin, connected on first use and made anew after a failure: a broken one does not always mend itself. */
export class AdminClient {
  readonly #client: kafkajs.Kafka;
  #admin: Promise<kafkajs.Admin> | undefined;

  constructor(client: kafkajs.Kafka) {
    this.#client = client;
  }

  /** Runs `use`, again on errors that may pass. Rejects with a KafkaError. */
  async run<R>(use: (admin: kafkajs.Admin) => Promise<R>, tries: number = TRIES): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await use(await this.#connected());
      } catch (thrown) {
        const error = fromClientError(thrown);
        await this.#forgetIfBroken(error);
        if (attempt >= tries || !error.canRetry) throw error;
        const delayMs = backoffMs(attempt, 100, 1_000);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  async close(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    if (admin !== undefined) await admin.then((open) => open.disconnect()).catch(() => undefined);
  }

  async #forgetIfBroken(error: KafkaError): Promise<void> {
    if (error.code === "unavailable" || error.code === "request_failed") await this.close();
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
