// What the table cannot say about options and secrets: what depends on the destination or does not go together (contract 2.3, 4.4, 4.5).
import { costProblem, definitionCost, parseCallFilter } from "#audiences";
import { formatDuration, isJsonObject, MAX_RETRY_DELAYS, MAX_WINDOW_MS, parseDuration } from "#contract";
import type { DestinationConfig } from "#topics";
import type { FieldProblem } from "../../../http/problem.ts";
import { durationRefusal, type Option } from "./option.ts";
import { OPTIONS } from "./table.ts";

export interface OptionRules {
  /** What the destination is until now; undefined for a new one. */
  readonly before: DestinationConfig | undefined;
  /** Of the topic of delivery jobs. */
  readonly partitions: number;
  /** Delays of the topics that calls wait in, ascending. */
  readonly retryDelaysMs: readonly number[];
}

type Refusing = Pick<Option<unknown, keyof DestinationConfig>, "refusal">;

/** A body of any shape: what the schema refuses is passed over. */
type Body = Readonly<Record<string, unknown>>;

const PREVIOUS_VALID_FOR = "previousSecretValidFor";
const BASE64_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function optionProblems(body: Body, rules: OptionRules): FieldProblem[] {
  return [
    ...Object.entries<Refusing>(OPTIONS).flatMap(([name, { refusal }]) =>
      problemsOf(name, refusal?.(body[name])),
    ),
    ...problemsOf(PREVIOUS_VALID_FOR, durationRefusal(body[PREVIOUS_VALID_FOR], 0)),
    ...filterProblems(body["filter"], rules),
    ...retryProblems(body, rules),
    ...shardProblems(body, rules),
    ...secretProblems(body, rules),
  ];
}

function problemsOf(path: string, message: string | undefined): FieldProblem[] {
  return message === undefined ? [] : [{ path, message }];
}

/** What is no object its schema refuses. */
export function filterProblems(
  filter: unknown,
  { before }: Pick<OptionRules, "before">,
): readonly FieldProblem[] {
  if (!isJsonObject(filter)) return [];
  const reading = parseCallFilter(filter);
  if (!reading.ok) return reading.problems;
  const stored: unknown = before?.filter == null ? null : JSON.parse(before.filter);
  const message = costProblem(definitionCost(filter), definitionCost(stored));
  return problemsOf("filter", message);
}

/** A call waits in topics of fixed delays, one after the other: any delay can be had that is not shorter than the shortest. */
function retryProblems(body: Body, { before, retryDelaysMs: [shortestMs = 0] }: OptionRules): FieldProblem[] {
  const { retryDelays, retryWindow } = body;
  const problem = (path: string, given: unknown): FieldProblem[] => {
    if (typeof given !== "string") return [];
    const givenMs = parseDuration(given);
    if (givenMs === undefined) return [{ path, message: "is not a duration such as 30s, 10m or 2h" }];
    if (givenMs >= shortestMs && givenMs <= MAX_WINDOW_MS) return [];
    const bounds = `must be from ${formatDuration(shortestMs)}, the shortest of HOOKLINE_RETRY_DELAYS, to ${formatDuration(MAX_WINDOW_MS)}`;
    return [{ path, message: bounds }];
  };
  const delays = Array.isArray(retryDelays) ? retryDelays.slice(0, MAX_RETRY_DELAYS) : [];
  const problems = [
    ...delays.flatMap((delay, index) => problem(`retryDelays[${index}]`, delay)),
    ...problem("retryWindow", retryWindow),
  ];
  if (problems.length > 0) return problems;
  const windowMs = parseDuration(retryWindow) ?? before?.retryWindowMs;
  const firstMs = parseDuration(delays[0]);
  const isEmpty = retryWindow !== null && windowMs != null && firstMs !== undefined && firstMs > windowMs;
  return isEmpty ? [{ path: "retryDelays[0]", message: "is longer than the window, retryWindow" }] : [];
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
  const isKeyText = typeof sharedSecret === "string" && sharedSecret.startsWith("whsec_");
  const isBroken = standardWebhooks === true && isKeyText && !BASE64_SECRET.test(sharedSecret);
  const why = previousSecretValidFor === undefined ? undefined : rotationProblem(body, before);
  return [
    ...problemsOf(
      "sharedSecret",
      isBroken ? "begins with whsec_, but what follows is not base64" : undefined,
    ),
    ...problemsOf(PREVIOUS_VALID_FOR, why),
  ];
}

function rotationProblem(body: Body, before: DestinationConfig | undefined): string | undefined {
  const { sharedSecret, standardWebhooks = before?.standardWebhooks ?? false } = body;
  if (standardWebhooks !== true) return "needs standardWebhooks: X-Signature has room for one signature only";
  if (sharedSecret === undefined)
    return before?.previousSecret == null ? "needs a new sharedSecret: no rotation is under way" : undefined;
  return before?.sharedSecret == null ? "needs a shared secret that is replaced" : undefined;
}
