import { readFileSync } from "node:fs";
import type { SASLOptions } from "kafkajs";
import type { KafkaLogger, KafkaSettings } from "../types.ts";

/** Options of every login. The client takes the password from them each time: that of a file is the one it has by then. */
export function saslOptions(
  { mechanism, username, password, passwordFile }: NonNullable<KafkaSettings["sasl"]>,
  logger: Pick<KafkaLogger, "warn">,
): SASLOptions {
  let last = password;
  return {
    mechanism,
    username,
    get password() {
      try {
        if (passwordFile !== undefined) last = readFileSync(passwordFile, "utf8").trim() || last;
      } catch (error) {
        logger.warn({ err: error }, "the password for Kafka cannot be read again; the former one is used");
      }
      return last;
    },
  } as SASLOptions;
}
