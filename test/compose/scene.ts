// Calls into the composed product, and what its demo's webhook got of them.
import { sendCall } from "#support/api";
import { until } from "#support/until";
import type { Compose } from "./compose.ts";

const INGEST = "http://127.0.0.1:8080";
const WAIT_MS = 300_000;

export class Scene {
  readonly compose: Compose;
  readonly #say: (line: string) => void;
  #writeKey: string | undefined;

  constructor(compose: Compose, say: (line: string) => void) {
    this.compose = compose;
    this.#say = say;
  }

  /** Sends so many calls with this event's name, each until it is accepted. */
  async send(event: string, count: number): Promise<void> {
    this.#writeKey ??= await this.#demoWriteKey();
    const writeKey = this.#writeKey;
    for (let number = 1; number <= count; number += 1) {
      const body = { userId: `${event}-${number}`, event, messageId: `${event}-${number}` };
      const isAccepted = async () => {
        const answer = await sendCall(INGEST, { route: "track", writeKey, body }).catch(() => undefined);
        return answer?.status === 200;
      };
      await until(isAccepted, { timeoutMs: WAIT_MS, what: `${event} to be accepted` });
    }
  }

  /** Resolves when the webhook has got so many calls with this event's name. */
  async arrived(event: string, count: number): Promise<void> {
    let found = 0;
    const isThere = async () => {
      const log = await this.compose.run("logs", "--no-log-prefix", "demo");
      found = log.split("\n").filter((line) => line.includes(` ${event} `)).length;
      return found >= count;
    };
    await until(isThere, { timeoutMs: WAIT_MS, what: () => `${count} of ${event}; ${found} arrived` });
    this.#say(`${count} of ${count} ${event} arrived`);
  }

  /** Seconds until a killed service is healthy again. */
  async secondsToRecover(service: string): Promise<number> {
    const { startedAt: before } = await this.compose.state(service);
    const seconds = stopwatch();
    await this.compose.kill(service);
    const isBack = async () => {
      const { isHealthy, startedAt } = await this.compose.state(service);
      return isHealthy && startedAt !== before;
    };
    await until(isBack, { timeoutMs: WAIT_MS, what: `${service} to be healthy again` });
    this.#say(`${service} was killed and is healthy again after ${seconds()} s`);
    return seconds();
  }

  async #demoWriteKey(): Promise<string> {
    const list = await this.compose.run("run", "--rm", "-T", "hookline", "sources", "list", "--json");
    const [source] = (JSON.parse(list) as { data: readonly { writeKeys: readonly string[] }[] }).data;
    const [writeKey] = source?.writeKeys ?? [];
    if (writeKey === undefined) throw new Error("the demo has made no source");
    return writeKey;
  }
}

/** Gives whole seconds since now. */
export function stopwatch(): () => number {
  const beganMs = performance.now();
  return () => Math.round((performance.now() - beganMs) / 1_000);
}
