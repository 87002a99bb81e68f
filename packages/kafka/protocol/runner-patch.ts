import { setImmediate as nextTurn } from "node:timers/promises";
import Runner from "kafkajs/src/consumer/runner.js";
import { isPatched } from "./patched.ts";

/**
 * A consumer that is stopped while its client replaces its fetchers, because the brokers have changed, is left with new ones
 * that nobody stops. Each asks, is told at once that the consumer does not run, and asks again: the event loop never gets a turn any more.
 * This one gives it a turn, and stops them.
 */
export function patchRunner(): void {
  if (isPatched(Runner.prototype, "fetch")) return;
  const { fetch } = Runner.prototype;
  Runner.prototype.fetch = async function fetchOrStop(nodeId) {
    if (this.running) return fetch.call(this, nodeId);
    await nextTurn();
    // The stop is not awaited: it waits for the fetcher that asks.
    void this.fetchManager.stop();
    return [];
  };
}
