import { connect } from "#connection";
import type { SettingsOf } from "#runtime";
import { allTopics, topicMap } from "#topics";
import type { settings as schema } from "./config.ts";
import { type JudgedDifference, judge } from "./judge.ts";
import { type Provisioned, provision } from "./provision.ts";

/** Provisions the deployment that the settings describe, and leaves no connection behind. */
export async function runProvision(
  settings: SettingsOf<typeof schema>,
  onProgress: (line: string) => void,
): Promise<Provisioned<JudgedDifference>> {
  const { deadlineMs, profileEventsKeptMs, raiseRetention } = settings.provisioning;
  const map = topicMap({ ...settings.topics, profileEventsKeptMs });
  const topics = allTopics(map);
  const connection = connect({
    kafka: settings.kafka,
    registryUrl: settings.registry.registryUrl,
    topics,
  });
  const admin = connection.kafka.admin();
  const creation = { ...settings.creation, raiseRetention };
  try {
    const work = { admin, serde: connection.serde, topics, creation, deadlineMs, onProgress };
    const done = await provision(work);
    return { ...done, differing: judge(done.differing, map) };
  } finally {
    await connection.close();
  }
}
