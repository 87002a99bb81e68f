// A share of the recorded calls in a thread of its own, as the main thread sees it.
import { Worker } from "node:worker_threads";
import type { Logger } from "#runtime";
import { ProblemError } from "../../http/problem.ts";
import type { Answer, Asked, AskedName, Share } from "./share.ts";
import type { FromShare, ShareData, ToShare } from "./share-messages.ts";

export interface ShareThreadOptions {
  readonly data: ShareData;
  readonly logger: Logger;
  /** What is neither an answer nor a line of the log. */
  onSaid(said: FromShare): void;
  /** The thread has ended before it was closed: a part of the index is missing. */
  onFailed(error: unknown): void;
}

const LEVELS = ["debug", "info", "warn", "error"] as const;

export class ShareThread implements Share {
  readonly #options: ShareThreadOptions;
  readonly #worker: Worker;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #ended = Promise.withResolvers<void>();
  #lastId = 0;
  #isClosing = false;

  constructor(options: ShareThreadOptions) {
    this.#options = options;
    this.#ended.promise.catch(() => undefined);
    // Settings are read by the main thread alone.
    this.#worker = new Worker(new URL("./share-worker.ts", import.meta.url), {
      ...{ workerData: options.data, env: {}, name: options.data.name },
    });
    this.#worker.on("message", (said: FromShare) => this.#said(said));
    this.#worker.on("error", (error) => {
      if (this.#isClosing) this.#ended.reject(error);
      this.#failed(error);
    });
    this.#worker.on("exit", () => this.#failed(new Error("a thread of the index has ended")));
  }

  async ask<K extends AskedName>(name: K, ...asked: Asked<K>): Promise<Answer<K>> {
    if (this.#isClosing) throw new ProblemError("unavailable", "the service is stopping");
    this.#lastId += 1;
    const answered = Promise.withResolvers<unknown>();
    this.#asked.set(this.#lastId, answered);
    this.#post({ kind: "ask", id: this.#lastId, name, asked });
    return (await answered.promise) as Answer<K>;
  }

  /** Resolves when the thread has answered what it was asked, and closed its file; rejects when it could not. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#post({ kind: "close" });
    await this.#ended.promise;
  }

  #post(message: ToShare): void {
    this.#worker.postMessage(message);
  }

  #said(said: FromShare): void {
    switch (said.kind) {
      case "answer":
        this.#take(said.id)?.resolve(said.value);
        return;
      case "failure":
        this.#take(said.id)?.reject(said.error);
        return;
      case "log":
        this.#log(said.line);
        return;
      default:
        this.#options.onSaid(said);
    }
  }

  #take(id: number): PromiseWithResolvers<unknown> | undefined {
    const answered = this.#asked.get(id);
    this.#asked.delete(id);
    return answered;
  }

  /** As the main thread's own: secrets are left out of the line already. */
  #log(line: string): void {
    const { data, logger } = this.#options;
    const { level, msg, service: _service, time: _time, ...facts } = JSON.parse(line);
    const name = LEVELS.find((one) => one === level) ?? "error";
    logger[name]({ ...facts, share: data.share }, msg);
  }

  /** Also when it was closed: then nobody is left to be told. */
  #failed(error: Error): void {
    this.#ended.resolve();
    if (!this.#isClosing) this.#options.onFailed(error);
    this.#isClosing = true;
    for (const answered of this.#asked.values()) answered.reject(error);
    this.#asked.clear();
  }
}
