// What was configured and asked for by people: it follows from nothing else, so it is backed up, and its loss is looked for.
import type { TopicMap } from "./map.ts";
import type { RecordName, Topic } from "./topic.ts";

export type ConfigurationRecord = Extract<
  RecordName,
  "source-config" | "destination-config" | "audience-config" | "regulation" | "suppression"
>;

export interface ConfigurationTopic {
  readonly topic: Topic<ConfigurationRecord>;
  /** Topics whose records follow from some of this one; each process that reads this one may look at their offsets. */
  readonly witnesses: readonly Topic[];
  /** People edit it by control, through a table writer (decision 75); entries of the others are begun by producers. */
  readonly isEdited: boolean;
}

/** In the order in which they are brought back: what others name comes first. */
export function configurationTopics(topics: TopicMap): readonly ConfigurationTopic[] {
  return [
    { topic: topics.sourceConfig, witnesses: [topics.calls], isEdited: true },
    { topic: topics.destinationConfig, witnesses: [topics.deliveryJobs], isEdited: true },
    { topic: topics.audienceConfig, witnesses: [topics.audienceProgress], isEdited: true },
    // Not every regulation suppresses somebody, so control says it in a topic of its own.
    { topic: topics.suppressions, witnesses: [topics.suppressionsBegun], isEdited: false },
    { topic: topics.regulations, witnesses: [topics.suppressions], isEdited: false },
  ];
}

/** As a table's option: the names. */
export function witnessesOf(topics: TopicMap, topic: Topic): readonly string[] {
  const found = configurationTopics(topics).find((each) => each.topic === topic);
  return (found?.witnesses ?? []).map(({ name }) => name);
}
