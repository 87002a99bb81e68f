import { readSettings, SettingsError } from "#runtime";
import type { CommandContext } from "../context.ts";
import type { AheadGroup, ComparedDeployment } from "../deployment.ts";
import { settings as provisionSchema } from "../provision/config.ts";
import { type Finding, reasonOf, within } from "./check.ts";

const TIMEOUT_MS = 30_000;
const SHOWN_NAMES = 5;

/** Kafka, the registry, and what of topics and schemas is in them. */
export async function checkKafka({ environment }: CommandContext): Promise<readonly Finding[]> {
  try {
    const settings = readSettings(provisionSchema, { processName: "hookline doctor", environment });
    const { compareDeployment, groupsAhead, halfRestoredTopics } = await import("../deployment.ts");
    const where = `Kafka at ${settings.kafka.brokers.join(", ")}`;
    const compared = await within(compareDeployment(settings), TIMEOUT_MS, `${where} or the registry`);
    const restores = await within(halfRestoredTopics(settings), TIMEOUT_MS, where).then(
      restoreFindings,
      notKnown("whether a restore was cut off"),
    );
    const ahead = await within(groupsAhead(settings), TIMEOUT_MS, where).then(
      aheadFindings,
      notKnown("whether records were lost"),
    );
    return [...findingsOf(compared), ...restores, ...ahead];
  } catch (error) {
    // The check of settings has named what is wrong.
    if (error instanceof SettingsError) return [];
    return [unreachable(error)];
  }
}

function restoreFindings(begunAtMs: ReadonlyMap<string, number>): readonly Finding[] {
  const topics = [...begunAtMs].map(([name, ms]) => `${name} (since ${new Date(ms).toISOString()})`);
  return finding(
    "configuration topics are being restored, or were left half restored",
    topics,
    "wrong",
    "If no `hookline restore` is under way, run it again with the same backup. Until it has ended, what starts waits, and changes are refused: end nothing.",
  );
}

function aheadFindings(ahead: readonly AheadGroup[]): readonly Finding[] {
  const topics = ahead.map(
    ({ groupId, topic, partition, committed, end }) =>
      `${topic} partition ${partition} (to ${end}; ${groupId} was at ${committed})`,
  );
  return finding(
    "topics end before what groups have read: records are lost, or the topics were created again",
    topics,
    "warning",
    "Is it meant? Services read these partitions again once they run.",
  );
}

/** Where that cannot be looked for: a large topic may take longer to read, and the caller may not be allowed to. */
function notKnown(what: string) {
  return (error: unknown): readonly Finding[] => {
    const found = `${what} is not known: ${reasonOf(error)}`;
    const advice =
      "May this user read the configuration topics and groups? `hookline topics acls` has the rules.";
    return [{ check: "topics", state: "warning", found, advice }];
  };
}

function unreachable(error: unknown): Finding {
  const isRegistry = (error as Error).name === "RegistryUnavailableError";
  return {
    check: isRegistry ? "schema registry" : "Kafka",
    state: "wrong",
    found: reasonOf(error),
    advice: isRegistry
      ? "Is it running, and is HOOKLINE_SCHEMA_REGISTRY_URL its Confluent-compatible API? Apicurio serves that under /apis/ccompat/v7."
      : "Are the brokers running, do they advertise an address that this machine reaches, and do HOOKLINE_KAFKA_TLS and HOOKLINE_KAFKA_SASL_… fit them?",
  };
}

function findingsOf({
  missingTopics,
  lostTopics,
  missingSchemas,
  differing,
}: ComparedDeployment): readonly Finding[] {
  return [
    { check: "Kafka", state: "ok", found: "answers" },
    { check: "schema registry", state: "ok", found: "answers" },
    ...finding(
      "configuration topics have lost their records",
      lostTopics,
      "wrong",
      "Restore them: `hookline topics apply`, then `hookline restore <backup>`. Until then what runs goes on with what it knows, and what starts waits: end nothing.",
    ),
    ...finding("topics are missing", missingTopics, "wrong", "Run `hookline topics apply`."),
    ...finding("schemas are missing", missingSchemas, "wrong", "Run `hookline topics apply`."),
    ...[...Map.groupBy(differing, ({ effect }) => effect).values()].flatMap(differenceFindings),
    ...(missingTopics.length + lostTopics.length + missingSchemas.length + differing.length === 0
      ? [{ check: "topics", state: "ok", found: "topics and schemas are there" } as const]
      : []),
  ];
}

/** Of differences with one effect. */
function differenceFindings(differing: ComparedDeployment["differing"]): readonly Finding[] {
  return differing.slice(0, 1).flatMap(({ effect, isWrong, advice }) => {
    const names = differing.map(
      ({ topic, setting, wanted, found }) => `${topic} has ${setting} ${found}, not ${wanted}`,
    );
    return finding(effect, names, isWrong ? "wrong" : "warning", advice);
  });
}

function finding(
  what: string,
  names: readonly string[],
  state: "warning" | "wrong",
  advice: string,
): readonly Finding[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
  return [
    { check: "topics", state, found: `${what}: ${names.slice(0, SHOWN_NAMES).join(", ")}${more}`, advice },
  ];
}
