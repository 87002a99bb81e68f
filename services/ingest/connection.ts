import { type Connection, connectService } from "#connection";
import type { ServiceContext, SettingsOf } from "#runtime";
import type { settings } from "./config.ts";

export type IngestContext = ServiceContext<SettingsOf<typeof settings>>;

export function connect(context: IngestContext): Connection {
  return connectService(context, ({ calls, sourceConfig, refusedCalls, formerKeyUses }) => [
    calls,
    sourceConfig,
    refusedCalls,
    formerKeyUses,
  ]);
}
