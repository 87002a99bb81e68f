import type { Host } from "#host";
import type { Admin, Runner } from "#kafka";
import type { Logger } from "#runtime";
import type { Connection } from "./connection.ts";

const LOOK_EVERY_MS = 15_000;

export interface LagWatch {
  /** Calls of the assigned partitions that were not committed at the last look. */
  readonly calls: number;
  stop(): void;
}

/** Asks the cluster from time to time how far behind the assigned partitions are. */
export function watchLag(options: {
  readonly admin: Pick<Admin, "consumerLag">;
  readonly connection: Pick<Connection, "groupId" | "topics">;
  readonly runner: Pick<Runner, "assigned">;
  readonly logger: Logger;
  readonly host: Pick<Host, "setInterval">;
}): LagWatch {
  const { admin, connection, runner, logger, host } = options;
  let calls = 0;
  async function look(): Promise<void> {
    const ours = new Set(runner.assigned.map(({ partition }) => partition));
    const lags = await admin.consumerLag(connection.groupId, connection.topics.calls.name);
    calls = lags.reduce((sum, { partition, lag }) => (ours.has(partition) ? sum + lag : sum), 0);
  }
  const timer = host.setInterval(() => {
    look().catch((error: unknown) => logger.debug({ err: error }, "lag could not be looked at"));
  }, LOOK_EVERY_MS);
  return {
    get calls() {
      return calls;
    },
    stop: () => timer.clear(),
  };
}
