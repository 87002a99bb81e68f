// What the schema cannot say about options and secrets: durations, and what does not go together (contract 2.3, 4.4, 4.5).
import type { DestinationConfig } from "#topics";
import { parseDuration } from "../http/durations.ts";
import type { FieldProblem } from "../http/problem.ts";

export interface OptionRules {
  /** What the destination is until now; undefined for a new one. */
  readonly before: DestinationConfig | undefined;
  /** Of the topic of delivery jobs. */
  readonly partitions: number;
}

/** A body of any shape: what the schema refuses is passed over. */
type Body = Readonly<Record<string, unknown>>;

const MIN_DISABLE_AFTER_MS = 1_000;
const MAX_DURATION_MS = 30 * 86_400_000;
const BASE64_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function optionProblems(body: Body, rules: OptionRules): FieldProblem[] {
  return [
    ...durationProblems("disableAfter", body["disableAfter"], MIN_DISABLE_AFTER_MS),
    ...durationProblems("previousSecretValidFor", body["previousSecretValidFor"], 0),
    ...shardProblems(body, rules),
    ...secretProblems(body, rules),
  ];
}

function durationProblems(path: string, given: unknown, leastMs: number): FieldProblem[] {
  if (typeof given !== "string") return [];
  const durationMs = parseDuration(given);
  if (durationMs === undefined) return [{ path, message: "is not a duration such as 30m, 2h, 1d or PT2H" }];
  if (durationMs < leastMs) return [{ path, message: `must be at least ${leastMs / 1_000}s` }];
  return durationMs > MAX_DURATION_MS ? [{ path, message: "must be at most 30d" }] : [];
}

function shardProblems(body: Body, { before, partitions }: OptionRules): FieldProblem[] {
  const path = "shards";
  const { shards = before?.shardWidth } = body;
  if (typeof shards !== "number") return [];
  if (body[path] !== undefined && shards > partitions)
    return [{ path, message: `must be at most ${partitions}, the number of partitions` }];
  const { maxRequestsPerSecond = before?.maxRequestsPerSecond, maxInFlight = before?.maxInFlight } = body;
  const isLimited = typeof maxRequestsPerSecond === "number" || typeof maxInFlight === "number";
  if (!isLimited || shards <= 1) return [];
  const message = `is ${shards}, but a destination with maxRequestsPerSecond or maxInFlight has one shard, so that the limit holds over all processes: set it to 1 or null`;
  return [{ path, message }];
}

function secretProblems(body: Body, { before }: OptionRules): FieldProblem[] {
  const { sharedSecret, standardWebhooks = before?.standardWebhooks ?? false, previousSecretValidFor } = body;
  const problems: FieldProblem[] = [];
  const isKeyText = typeof sharedSecret === "string" && sharedSecret.startsWith("whsec_");
  if (standardWebhooks === true && isKeyText && !BASE64_SECRET.test(sharedSecret))
    problems.push({ path: "sharedSecret", message: "begins with whsec_, but what follows is not base64" });
  const why = previousSecretValidFor === undefined ? undefined : rotationProblem(body, before);
  if (why !== undefined) problems.push({ path: "previousSecretValidFor", message: why });
  return problems;
}

function rotationProblem(body: Body, before: DestinationConfig | undefined): string | undefined {
  const { sharedSecret, standardWebhooks = before?.standardWebhooks ?? false } = body;
  if (standardWebhooks !== true) return "needs standardWebhooks: X-Signature has room for one signature only";
  if (sharedSecret === undefined)
    return before?.previousSecret == null ? "needs a new sharedSecret: no rotation is under way" : undefined;
  return before?.sharedSecret == null ? "needs a shared secret that is replaced" : undefined;
}
