// What the differences that stay do to a deployment: one judgement for `topics apply`, `topics verify` and `doctor`.
import { isTooShort, type TopicDifference } from "#kafka";
import type { TopicMap } from "#topics";

interface Judgement {
  /** Services lose records, cannot read them, or work wrongly. */
  readonly isWrong: boolean;
  /** Records are deleted before they are read. */
  readonly isShort: boolean;
  readonly effect: string;
  readonly advice: string;
}

export type JudgedDifference = TopicDifference & Judgement;

const SHORT: Judgement = {
  ...{ isWrong: true, isShort: true },
  effect: "topics lose records too early",
  advice: "Run `hookline topics apply` with HOOKLINE_PROVISION_RAISE_RETENTION=true.",
};
const OF_ANOTHER_KIND: Judgement = {
  ...{ isWrong: true, isShort: false },
  effect: "topics lose what has to stay, or cannot be read",
  advice: "Set what is asked for with `kafka-configs --alter`, before more is lost.",
};
const APART: Judgement = {
  ...{ isWrong: true, isShort: false },
  effect: "topics that are read together have other numbers of partitions",
  advice:
    "Delete a new one while it is empty, and run `hookline topics apply` with HOOKLINE_PARTITIONS as the older ones have it.",
};
const HARMLESS: Judgement = {
  ...{ isWrong: false, isShort: false },
  effect: "topics are otherwise than asked for",
  advice: "Is it meant? HOOKLINE_PARTITIONS and HOOKLINE_REPLICATION_FACTOR say what is asked for.",
};

/** `differing` of all topics of the map. */
export function judge(differing: readonly TopicDifference[], map: TopicMap): JudgedDifference[] {
  const apart = new Set(readTogether(map).flatMap((names) => partitionsApart(differing, names)));
  return differing.map((each) => ({ ...each, ...judgementOf(each, apart) }));
}

function judgementOf(difference: TopicDifference, apart: ReadonlySet<TopicDifference>): Judgement {
  const { setting, found } = difference;
  if (isTooShort(difference)) return SHORT;
  if (setting === "cleanup.policy") return OF_ANOTHER_KIND;
  // The client lacks these codecs.
  if (setting === "compression.type" && /lz4|snappy/.test(found)) return OF_ANOTHER_KIND;
  return apart.has(difference) ? APART : HARMLESS;
}

/** A process has partition p of all of them, with the same keys: users of profiles, destinations with a limit. */
function readTogether({ deliveryJobs, deliveryRetries, profileEvents, profiles }: TopicMap): string[][] {
  return [
    [deliveryJobs, ...deliveryRetries],
    [profileEvents, profiles],
  ].map((topics) => topics.map(({ name }) => name));
}

function partitionsApart(differing: readonly TopicDifference[], names: readonly string[]): TopicDifference[] {
  const found = differing.filter(({ topic, setting }) => setting === "partitions" && names.includes(topic));
  const isAlike = found.length === names.length && new Set(found.map((each) => each.found)).size === 1;
  return isAlike ? [] : found;
}
