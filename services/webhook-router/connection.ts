import { type Connection as Connected, connectService, type Ways } from "#connection";
import type { ServiceContext, SettingsOf } from "#runtime";
import { consumerGroups } from "#topics";
import type { settings } from "./config.ts";

export type RouterContext = ServiceContext<SettingsOf<typeof settings>>;

export interface Connection extends Connected {
  readonly groupId: string;
}

export function connect(context: RouterContext, ways: Ways): Connection {
  const connected = connectService(
    context,
    ({ calls, destinationConfig, deliveryJobs, deadLetters, routedCalls, suppressions }) => [
      calls,
      destinationConfig,
      deliveryJobs,
      deadLetters,
      routedCalls,
      suppressions,
    ],
    ways,
  );
  return { ...connected, groupId: consumerGroups(context.settings.topics.prefix).webhookRouter.id };
}
