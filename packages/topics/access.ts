// What each process of a deployment may do with Kafka, and no more: the rules of its authorizer.
import { SERVICE_NAMES, type ServiceName } from "#contract";
import { configurationTopics } from "./configuration.ts";
import { consumerGroups, formerControlGroups } from "./groups.ts";
import { retryTopicPrefix } from "./job-topics.ts";
import { allTopics, type TopicMap, type TopicMapOptions, topicMap } from "./map.ts";
import type { Topic } from "./topic.ts";

/** The processes that need a principal: the services, whoever runs `hookline topics apply`, and whoever runs `hookline backup` or `restore`. */
export const PRINCIPALS = [...SERVICE_NAMES, "topics", "backup"] as const;

export type PrincipalName = (typeof PRINCIPALS)[number];

/** As Kafka's own tools spell them. Read and Write include Describe. */
type Operation = "Read" | "Write" | "Describe" | "Delete" | "Create" | "DescribeConfigs" | "AlterConfigs";

/** Allows a principal these operations on every resource that is named. */
export interface AccessRule {
  readonly principal: PrincipalName;
  readonly resourceType: "topic" | "group";
  /** Prefixed: on all resources whose names begin so. */
  readonly patternType: "literal" | "prefixed";
  readonly names: readonly string[];
  readonly operations: readonly Operation[];
}

/** All rules of one deployment; nothing else has to be allowed to its processes. */
export function accessRules(options: TopicMapOptions): AccessRule[] {
  const map = topicMap(options);
  const topics = allTopics(map);
  const services = SERVICE_NAMES.flatMap((service) => serviceRules(service, topics, { ...options, map }));
  return [...services, ...setUpRules(topics, { ...options, map }), ...backupRules(map)].filter(
    ({ names }) => names.length > 0,
  );
}

function serviceRules(
  service: ServiceName,
  topics: readonly Topic[],
  { map, prefix }: TopicMapOptions & { readonly map: TopicMap },
): AccessRule[] {
  const named = (list: "writtenBy" | "readBy"): string[] =>
    topics.filter((topic) => topic[list].includes(service)).map(({ name }) => name);
  const groups = Object.values(consumerGroups(prefix));
  const own = groups.filter((group) => group.service === service).map(({ id }) => id);
  const looked = groups.filter(({ watchedBy = [] }) => watchedBy.includes(service)).map(({ id }) => id);
  const former = service === "control" ? formerControlGroups(prefix, map).values() : [];
  const watched = [...new Set([...looked, ...former])];
  const literal = { principal: service, patternType: "literal" } as const;
  const prefixed = { principal: service, patternType: "prefixed" } as const;
  return [
    { ...literal, resourceType: "topic", names: named("writtenBy"), operations: ["Write"] },
    { ...literal, resourceType: "topic", names: named("readBy"), operations: ["Read"] },
    { ...literal, resourceType: "group", names: own, operations: ["Read"] },
    { ...literal, resourceType: "group", names: watched, operations: ["Describe"] },
    // Jobs may wait in topics of delays that are configured no more.
    {
      ...prefixed,
      resourceType: "topic",
      names: service === "deliverer" ? [retryTopicPrefix(prefix)] : [],
      operations: ["Read"],
    },
  ];
}

/** Whether a configuration topic is half restored is seen in its records, and a topic's loss in groups' commits: `hookline topics verify` reads them. */
function setUpRules(
  topics: readonly Topic[],
  { map, prefix }: TopicMapOptions & { readonly map: TopicMap },
): AccessRule[] {
  const groups = Object.values(consumerGroups(prefix)).map(({ id }) => id);
  const names = topics.map(({ name }) => name);
  const configuration = configurationTopics(map).map(({ topic }) => topic.name);
  const literal = { principal: "topics", resourceType: "topic", patternType: "literal" } as const;
  return [
    { ...literal, resourceType: "group", names: groups, operations: ["Describe"] },
    { ...literal, names, operations: ["Create", "Describe", "DescribeConfigs", "AlterConfigs"] },
    { ...literal, names: configuration, operations: ["Read"] },
  ];
}

/** Whether a topic has lost its records is seen from the offsets of its witnesses. A restore follows what it writes, as a table. */
function backupRules(topics: TopicMap): AccessRule[] {
  const configuration = configurationTopics(topics);
  const own = configuration.map(({ topic }) => topic.name);
  const witnesses = configuration.flatMap((each) => each.witnesses.map(({ name }) => name));
  const looked = witnesses.filter((name) => !own.includes(name));
  const literal = { principal: "backup", resourceType: "topic", patternType: "literal" } as const;
  return [
    { ...literal, names: own, operations: ["Read", "Write"] },
    { ...literal, names: looked, operations: ["Describe"] },
  ];
}
