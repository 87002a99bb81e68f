import type { ErrorObject } from "ajv";
import { KafkaError } from "#kafka";
import { SecretError } from "#secrets";
import { ProblemError } from "./problem.ts";
import { refusedBy } from "./validation.ts";

/** What fastify adds to the errors that it makes. */
interface FrameworkError {
  readonly statusCode?: number;
  readonly validation?: readonly unknown[];
  /** What was checked. */
  readonly validationContext?: string;
  readonly message?: string;
}

const TOO_LARGE =
  "Kafka takes no record as large as this change would be: nothing was changed. Ask for less at once";

/** Any error that ended a request, as the problem that the caller is told. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof KafkaError && error.canRetry)
    return new ProblemError("unavailable", kafkaDetail(error));
  if (error instanceof KafkaError && error.code === "record_too_large")
    return new ProblemError("too_large", TOO_LARGE);
  // Its message names keys by their ids, and never holds a secret.
  if (error instanceof SecretError) return new ProblemError("failed", error.message);
  const { statusCode = 500, validation, validationContext, message = "" } = error as FrameworkError;
  if (validation !== undefined) {
    const part = validationContext === "querystring" ? "querystring" : "body";
    return refusedBy(validation as readonly ErrorObject[], [], part);
  }
  if (statusCode === 413) return new ProblemError("too_large", message);
  if (statusCode === 415)
    return new ProblemError("unsupported_media_type", "send Content-Type: application/json");
  if (statusCode >= 400 && statusCode < 500) return new ProblemError("unreadable", message);
  return new ProblemError("failed", "an unexpected error; the service's log has it");
}

function kafkaDetail({ code }: KafkaError): string {
  if (code === "table_timeout") return "the change is written, but cannot be read back yet";
  if (code === "records_lost")
    return "the configuration has lost its records, or is half restored: it takes no changes until it is restored";
  return "Kafka did not acknowledge the change in time; read it back before you repeat it: it may still have been written";
}
