import { setTimeout as pause } from "node:timers/promises";
import type { Deployment } from "#support/deployment";

/** Calls sent without a break, by several users, and what ingest said to each. */
export interface Load {
  /** messageIds that were answered with 200: none of them may be lost. */
  readonly acknowledged: ReadonlySet<string>;
  /** How often each other status came; 0 is a connection that failed. */
  readonly refusals: ReadonlyMap<number, number>;
  /** Stops sending; ends when the last answer is there. */
  readonly stop: () => Promise<void>;
}

export interface LoadOptions {
  readonly writeKey: string;
  /** Senders at a time, each with one call under way. */
  readonly senders?: number;
  /** Between two calls of one sender. */
  readonly pauseMs?: number;
}

/** Sends until it is stopped, whatever the answers are. */
export function startLoad(
  deployment: Deployment,
  { writeKey, senders = 8, pauseMs = 10 }: LoadOptions,
): Load {
  const acknowledged = new Set<string>();
  const refusals = new Map<number, number>();
  let sending = true;

  const sendOne = async (messageId: string): Promise<void> => {
    const call = {
      type: "track",
      event: "Load",
      userId: `user-${messageId.length % 7}-${messageId.slice(-1)}`,
      messageId,
    };
    const status = await deployment.send(writeKey, "track", call).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) acknowledged.add(messageId);
    else refusals.set(status, (refusals.get(status) ?? 0) + 1);
  };
  const sender = async (name: number): Promise<void> => {
    for (let index = 0; sending; index++) {
      await sendOne(`${name}-${index}`);
      await pause(pauseMs);
    }
  };
  const senderLoops = Array.from({ length: senders }, (_, name) => sender(name));
  return {
    acknowledged,
    refusals,
    stop: async () => {
      sending = false;
      await Promise.all(senderLoops);
    },
  };
}
