// A client in a world of its own: virtual time, chance that is always one half, a network and a page that tests decide about.
import { Client } from "../client.ts";
import type { Failure } from "../failure.ts";
import type { BrowserPage, FetchRequest, FetchResponse, Host } from "../host.ts";
import type { Options } from "../options.ts";

export interface Received {
  /** Since the world's beginning. */
  readonly atMs: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The calls of the body. */
  readonly batch: readonly Readonly<Record<string, unknown>>[];
}

type Answer = (request: FetchRequest) => Promise<FetchResponse>;

/** An answer with this status. */
export function status(
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body: unknown = {},
): Answer {
  return async () => ({
    status: code,
    headers: { get: (name) => headers[name] ?? null },
    text: async () => (typeof body === "string" ? body : JSON.stringify(body)),
  });
}

/** No answer, until the client gives up. */
export const hang: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** No answer, whatever the client does. */
export const deaf: Answer = () => new Promise(() => undefined);

export const unreachable: Answer = async () => {
  throw new TypeError("fetch failed");
};

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

const STARTED_AT_MS = Date.parse("2026-01-31T12:00:00.123Z");

export class World {
  readonly requests: Received[] = [];
  readonly beacons: { readonly url: string; readonly body: string }[] = [];
  readonly failures: Failure[] = [];
  readonly lines: string[] = [];
  readonly host: Host;
  /** The next requests get these in turn, 200 after them. */
  readonly answers: Answer[] = [];
  /** How many bytes of beacons the browser still takes. */
  beaconBytes = 65_536;
  /** What the browser says of its network. */
  isOnline = true;
  #nowMs = 0;
  #ids = 0;
  readonly #timers = new Set<Timer>();
  #hide: (() => void) | undefined;

  constructor({ isPage = false }: { readonly isPage?: boolean } = {}) {
    this.host = {
      nowMs: () => STARTED_AT_MS + this.#nowMs,
      uptimeMs: () => this.#nowMs,
      setTimer: (callback, delayMs) => {
        const timer: Timer = { dueMs: this.#nowMs + delayMs, callback };
        this.#timers.add(timer);
        return timer;
      },
      clearTimer: (timer) => this.#timers.delete(timer as Timer),
      chance: () => 0.5,
      newId: () => `id-${++this.#ids}`,
      fetch: (url, request) => this.#receive(url, request),
      log: (line) => this.lines.push(line),
      isDebugging: false,
      canNameItself: !isPage,
      page: isPage ? this.#page() : undefined,
    };
  }

  get openTimers(): number {
    return this.#timers.size;
  }

  /** How many calls each request had. */
  get sizes(): number[] {
    return this.requests.map(({ batch }) => batch.length);
  }

  client(options: Options = {}, writeKey = "write-key"): Client {
    return new Client(writeKey, { onError: (failure) => this.failures.push(failure), ...options }, this.host);
  }

  hidePage(): void {
    this.#hide?.();
  }

  /** Lets time go by, and everything happen that is due in it. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await this.settle();
    for (let timer = this.#next(untilMs); timer !== undefined; timer = this.#next(untilMs)) {
      this.#nowMs = timer.dueMs;
      this.#timers.delete(timer);
      timer.callback();
      await this.settle();
    }
    this.#nowMs = untilMs;
  }

  /** Lets time go by until the work has ended. */
  async until<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const mark = (): void => {
      isDone = true;
    };
    work.then(mark, mark);
    await this.settle();
    while (!isDone) {
      const timer = this.#next(Number.POSITIVE_INFINITY);
      if (timer === undefined) throw new Error("nothing is due, and the work has not ended");
      await this.pass(timer.dueMs - this.#nowMs);
    }
    return work;
  }

  /** Ends when promises have nothing left to do. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= untilMs);
    return due.sort((one, other) => one.dueMs - other.dueMs)[0];
  }

  #receive(url: string, request: FetchRequest): Promise<FetchResponse> {
    const body = new TextDecoder().decode(request.body);
    const batch = request.headers["content-encoding"] === "gzip" ? [] : JSON.parse(body).batch;
    this.requests.push({ atMs: this.#nowMs, url, headers: request.headers, body, batch });
    const answer = this.answers.shift() ?? status(200);
    return answer(request);
  }

  #page(): BrowserPage {
    return {
      onHide: (callback) => {
        this.#hide = callback;
        return () => {
          this.#hide = undefined;
        };
      },
      beacon: (url, bytes) => {
        if (bytes.length > this.beaconBytes) return false;
        this.beaconBytes -= bytes.length;
        this.beacons.push({ url, body: new TextDecoder().decode(bytes) });
        return true;
      },
      isOnline: () => this.isOnline,
    };
  }
}
