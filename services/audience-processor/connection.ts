import { type Connection as Connected, connectService, type Ways } from "#connection";
import type { ServiceContext, SettingsOf } from "#runtime";
import { consumerGroups } from "#topics";
import type { settings } from "./config.ts";

export type ProcessorContext = ServiceContext<SettingsOf<typeof settings>>;

export interface Connection extends Connected {
  /** Of the runner on calls. */
  readonly keyingGroup: string;
  /** Of the runner on profile events. */
  readonly profilesGroup: string;
}

export function connect(context: ProcessorContext, ways: Ways): Connection {
  const connected = connectService(
    context,
    (topics) => [
      topics.calls,
      topics.profileEvents,
      topics.profiles,
      topics.audienceConfig,
      topics.audienceProgress,
      topics.audienceSizes,
      topics.regulations,
      topics.deadLetters,
    ],
    ways,
  );
  const { keying, profiles } = consumerGroups(context.settings.topics.prefix);
  return { ...connected, keyingGroup: keying.id, profilesGroup: profiles.id };
}
