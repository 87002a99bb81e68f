import { backOffMs } from "./back-off.ts";
import type { Batch } from "./batch.ts";
import type { Answer, Endpoint, Rejection } from "./endpoint.ts";
import { describeReason } from "./failure.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./options.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Queue } from "./queue.ts";

export interface SenderParts {
  readonly settings: Pick<Settings, "retryForMs" | "concurrency">;
  readonly host: Pick<Host, "nowMs" | "uptimeMs" | "setTimer" | "clearTimer" | "chance">;
  readonly queue: Queue;
  readonly endpoint: Endpoint;
  readonly outcomes: Outcomes;
  readonly debug: (line: string) => void;
}

/** Takes batches from the queue and settles each. */
export class Sender {
  readonly #parts: SenderParts;
  /** Ends when `close` has waited long enough. */
  readonly #gaveUp = new AbortController();
  #underWay = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Begins what may begin. A call that made a batch ready never waits for it. */
  wake(): void {
    queueMicrotask(() => this.#begin());
  }

  #begin(): void {
    const { queue, settings } = this.#parts;
    while (this.#underWay < settings.concurrency) {
      const batch = queue.next();
      if (batch === undefined) return;
      this.#underWay++;
      void this.#deliver(batch).finally(() => {
        this.#underWay--;
        this.#begin();
      });
    }
  }

  /** No further tries: what is not delivered has failed. */
  giveUp(): void {
    this.#gaveUp.abort();
  }

  /** Tries a batch until it is accepted, refused for good, too old, or `close` does not wait any longer. */
  async #deliver(batch: Batch): Promise<void> {
    const { endpoint, host, settings, debug } = this.#parts;
    const { signal } = this.#gaveUp;
    for (let tries = 0; !signal.aborted; tries++) {
      if (host.nowMs() > batch.expiresAtMs)
        return this.#settle(batch, { kind: "refused", reason: { kind: "copied" } });
      const answer = await endpoint.post(batch.bodyAt(host.nowMs()), signal);
      if (answer.kind !== "retry") return this.#settle(batch, answer);
      if (signal.aborted) break;
      const waitMs = backOffMs(tries, answer.retryAfterMs, host.chance);
      if (host.uptimeMs() + waitMs - batch.sealedAtMs > settings.retryForMs)
        return this.#settle(batch, { kind: "refused", reason: answer.reason });
      const why = describeReason(answer.reason);
      debug(`${batch.count} messages wait ${Math.round(waitMs)} ms after try ${tries + 1}: ${why}`);
      await this.#pause(waitMs);
    }
    this.#settle(batch, { kind: "refused", reason: { kind: "closed" } });
  }

  #pause(waitMs: number): Promise<void> {
    const { host } = this.#parts;
    const { signal } = this.#gaveUp;
    return new Promise((resolve) => {
      const end = (): void => {
        host.clearTimer(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = host.setTimer(end, waitMs);
      signal.addEventListener("abort", end);
    });
  }

  #settle(batch: Batch, answer: Exclude<Answer, { kind: "retry" }>): void {
    const { queue, outcomes } = this.#parts;
    const all = batch.ids.map((_, index) => index);
    if (answer.kind === "refused") outcomes.failed(batch, all, answer.reason);
    else this.#settleAccepted(batch, all, answer.rejected);
    queue.settle(batch);
  }

  /** Single messages may be refused; each is told once, whatever the answer repeats. */
  #settleAccepted(batch: Batch, all: readonly number[], rejected: readonly Rejection[]): void {
    const { outcomes, debug } = this.#parts;
    const byIndex = new Map(rejected.map((rejection) => [rejection.index, rejection]));
    const taken = all.filter((index) => !byIndex.has(index));
    outcomes.delivered(batch, taken);
    debug(`${taken.length} messages delivered`);
    for (const index of all) {
      const rejection = byIndex.get(index);
      if (rejection === undefined) continue;
      const { code, message } = rejection;
      outcomes.failed(batch, [index], { kind: "rejected", code, message });
    }
  }
}
