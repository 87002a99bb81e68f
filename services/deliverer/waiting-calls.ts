import type { Host } from "#host";
import type { Admin } from "#kafka";

export interface WaitingCallsOptions {
  readonly admin: Pick<Admin, "consumerLag">;
  readonly groupId: string;
  /** Names of the retry topics. */
  readonly topics: readonly string[];
  readonly intervalMs: number;
  readonly host: Pick<Host, "setInterval">;
  /** The last figure stays; the next look follows. */
  readonly onError: (error: unknown) => void;
}

export interface WaitingCalls {
  /** Calls in the retry topics, of all processes of the group, as of the last look. */
  readonly count: number;
  stop(): void;
}

/** Counts the waiting calls from time to time: Kafka knows them, and a count of our own would be lost with the process. */
export function watchWaitingCalls(options: WaitingCallsOptions): WaitingCalls {
  const { admin, groupId, host, intervalMs, onError, topics } = options;
  let count = 0;
  async function look(): Promise<void> {
    const lags = await Promise.all(topics.map((topic) => admin.consumerLag(groupId, topic)));
    count = lags.flat().reduce((sum, { lag }) => sum + lag, 0);
  }
  const timer = host.setInterval(() => void look().catch(onError), intervalMs);
  return {
    get count() {
      return count;
    },
    stop: () => timer.clear(),
  };
}
