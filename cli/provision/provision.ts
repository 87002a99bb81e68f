// Makes a deployment's topics and schemas, once, before its services start. Running it again changes nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { Admin, EnsureTopicsOptions, TopicDifference } from "#kafka";
import type { RegisteredSubject, Serde } from "#serde";
import type { Topic } from "#topics";
import type { JudgedDifference } from "./judge.ts";

export interface ProvisionOptions {
  readonly admin: Pick<Admin, "ensureTopics">;
  readonly serde: Pick<Serde, "register">;
  readonly topics: readonly Topic[];
  readonly creation: EnsureTopicsOptions;
  /** The time for which Kafka and the registry may be away. */
  readonly deadlineMs: number;
  /** Called with what is waited for, for people. */
  readonly onProgress: (line: string) => void;
}

export interface Provisioned<D extends TopicDifference = TopicDifference> {
  readonly created: readonly string[];
  /** Topics that exist otherwise than the map says; they are left as they are. */
  readonly differing: readonly D[];
  /** Topics whose retention was raised to what the map says. */
  readonly raised: readonly TopicDifference[];
  readonly subjects: readonly RegisteredSubject[];
}

const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 5_000;

/** Rejects with what no waiting heals, and after the deadline with the last error of what is away. */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { admin, serde, topics, creation } = options;
  const waiting = { deadlineAtMs: performance.now() + options.deadlineMs, onProgress: options.onProgress };
  const { created, differing, raised } = await untilAvailable(() => admin.ensureTopics(topics, creation), {
    what: "Kafka",
    ...waiting,
  });
  const subjects = await untilAvailable(() => serde.register(), { what: "the schema registry", ...waiting });
  return { created, differing, raised, subjects };
}

interface Waiting {
  readonly what: string;
  readonly deadlineAtMs: number;
  readonly onProgress: (line: string) => void;
}

async function untilAvailable<T>(action: () => Promise<T>, waiting: Waiting): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LAST_DELAY_MS)) {
    try {
      return await action();
    } catch (error) {
      const leftMs = waiting.deadlineAtMs - performance.now();
      if (!canRetry(error) || leftMs <= delayMs) throw error;
      const seconds = Math.round(leftMs / 1000);
      waiting.onProgress(`waiting for ${waiting.what}, up to ${seconds} s more (${error.message})`);
      await delay(delayMs);
    }
  }
}

/** Errors of the kafka and serde packages say so themselves. */
function canRetry(error: unknown): error is Error {
  return typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === true;
}

/** Reports what was done, one line each, for people. */
export function report({ created, differing, raised, subjects }: Provisioned<JudgedDifference>): string[] {
  const added = subjects.filter((subject) => subject.added);
  return [
    `topics: ${created.length} created`,
    ...created.map((topic) => `  + ${topic}`),
    ...raised.map(
      ({ topic, setting, wanted, found }) => `  ^ ${topic}: ${setting} raised from ${found} to ${wanted}`,
    ),
    ...differing.map(
      (difference) =>
        `  ! ${difference.topic}: ${difference.setting} is ${difference.found}, not ${difference.wanted} (${adviceOn(difference)})`,
    ),
    `schemas: ${added.length} registered, ${subjects.length - added.length} unchanged`,
    ...added.map(({ subject, schemaId }) => `  + ${subject} (id ${schemaId})`),
  ];
}

function adviceOn({ isWrong, effect, advice }: JudgedDifference): string {
  return isWrong ? `WRONG, and left as it is: ${effect}. ${advice}` : "left as it is, services work with it";
}
