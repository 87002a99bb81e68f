// Who watches a source or a destination, and what each of them is told (decision 81).
import { Readable } from "node:stream";
import type { Host, Timer } from "#host";
import { ProblemError } from "../../http/problem.ts";

/** What is watched. */
export type Subject = { readonly sourceId: string } | { readonly destinationId: string };

/** Something that has happened; `data` is made only when somebody is told. */
export interface LiveEvent {
  readonly name: "accepted" | "refused" | "delivery";
  readonly sourceId: string;
  readonly destinationId?: string;
  data(): object;
}

export const LIVE_BOUNDS = {
  /** Of one process. */
  listeners: 50,
  /** With one token: a dashboard that leaves its streams open must not take the places of everybody. */
  listenersOfToken: 10,
  /** For one listener; of the rest only the number is told. */
  eventsPerSecond: 50,
  /** What a listener that does not read may hold, in characters, beside what its connection takes. */
  heldCharacters: 256 * 1024,
  heartbeatMs: 15_000,
} as const;

export type LiveBounds = { readonly [name in keyof typeof LIVE_BOUNDS]: number };

/** A listener that has not taken its last words by then is cut off. */
const LAST_WORDS_MS = 1_000;

export interface ListenersOptions {
  readonly host: Pick<Host, "elapsed" | "setInterval" | "setTimeout">;
  /** Called when the first listener to a source has come, and when the last has gone. */
  onSourcesWatched(isWatched: boolean): void;
  readonly bounds?: LiveBounds;
}

export class Listeners {
  readonly #options: ListenersOptions;
  readonly #bounds: LiveBounds;
  readonly #listeners = new Set<Listener>();
  #sourceIds: ReadonlySet<string> = new Set();
  #isOver = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? LIVE_BOUNDS;
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Of the sources that are watched. */
  get sourceIds(): ReadonlySet<string> {
    return this.#sourceIds;
  }

  /**
   * The events of a subject from now on, as server-sent events; `token` is the name of the caller's. Throws a 503 when too many listen,
   * of all or with this token, and at the end.
   */
  listen(subject: Subject, token: string): Readable {
    this.#requirePlace(token);
    const listener = new Listener({ subject, token, host: this.#options.host, bounds: this.#bounds });
    this.#listeners.add(listener);
    listener.stream.once("close", () => this.#left(listener));
    // Records of attempts are read all the time.
    if ("destinationId" in subject) listener.begun();
    this.#changed();
    return listener.stream;
  }

  #requirePlace(token: string): void {
    if (this.#isOver) throw new ProblemError("unavailable", "the service is ending");
    const { listeners: most, listenersOfToken: mostOfToken } = this.#bounds;
    if (this.#listeners.size >= most)
      throw new ProblemError("unavailable", `${most} listen already, which is the most`);
    const own = [...this.#listeners].filter((listener) => listener.token === token).length;
    if (own >= mostOfToken)
      throw new ProblemError(
        "unavailable",
        `${own} listen already with the token ${token}, which is the most`,
      );
  }

  tell(event: LiveEvent): void {
    let data: string | undefined;
    for (const listener of this.#listeners) {
      if (!listener.wants(event)) continue;
      data ??= JSON.stringify(event.data());
      listener.tell(event.name, data);
    }
  }

  /** Everything that happens from now on is told. */
  begun(): void {
    for (const listener of this.#listeners) listener.begun();
  }

  /** Records that were passed over, whoever they are of. */
  passedOver(records: number): void {
    for (const listener of this.#listeners) if ("sourceId" in listener.subject) listener.passedOver(records);
  }

  /** Ends every listener, and nobody may listen any more; resolves when all have gone. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.disconnect();
  }

  /** Ends who listens now; resolves when all have gone. Who may listen still comes again. */
  async disconnect(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.end()));
  }

  #left(listener: Listener): void {
    listener.stop();
    this.#listeners.delete(listener);
    this.#changed();
  }

  #changed(): void {
    const before = this.#sourceIds.size;
    const subjects = [...this.#listeners].map(({ subject }) => subject);
    this.#sourceIds = new Set(subjects.flatMap((subject) => ("sourceId" in subject ? subject.sourceId : [])));
    const isWatched = this.#sourceIds.size > 0;
    if (isWatched !== before > 0) this.#options.onSourcesWatched(isWatched);
  }
}

interface ListenerOptions {
  readonly subject: Subject;
  readonly token: string;
  readonly host: ListenersOptions["host"];
  readonly bounds: LiveBounds;
}

class Listener {
  readonly subject: Subject;
  readonly token: string;
  readonly stream = new Readable({ read: () => undefined, encoding: "utf8" });
  readonly #host: ListenersOptions["host"];
  readonly #bounds: LiveBounds;
  readonly #heartbeat: Timer;
  #hasBegun = false;
  #isEnded = false;
  #second = 0;
  #told = 0;
  #leftOut = { events: 0, records: 0 };

  constructor({ subject, token, host, bounds }: ListenerOptions) {
    this.subject = subject;
    this.token = token;
    this.#host = host;
    this.#bounds = bounds;
    this.#heartbeat = host.setInterval(() => this.#beat(), bounds.heartbeatMs);
  }

  wants({ sourceId, destinationId }: LiveEvent): boolean {
    const { subject } = this;
    if (this.#isEnded) return false;
    return "sourceId" in subject ? subject.sourceId === sourceId : subject.destinationId === destinationId;
  }

  begun(): void {
    if (this.#hasBegun || this.#isEnded) return;
    this.#hasBegun = true;
    this.#push("listening", JSON.stringify({ eventsPerSecond: this.#bounds.eventsPerSecond }));
  }

  tell(name: string, data: string): void {
    const second = Math.floor(this.#host.elapsed() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#told = 0;
    }
    if (this.#told >= this.#bounds.eventsPerSecond || !this.#hasRoom) {
      this.#leftOut.events += 1;
      return;
    }
    this.#sayLeftOut();
    this.#told += 1;
    this.#push(name, data);
  }

  passedOver(records: number): void {
    this.#leftOut.records += records;
  }

  stop(): void {
    this.#heartbeat.clear();
  }

  end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stop();
    this.#isEnded = true;
    const lastWords = this.#host.setTimeout(() => this.stream.destroy(), LAST_WORDS_MS);
    this.stream.once("close", () => {
      lastWords.clear();
      resolve();
    });
    this.stream.push(null);
    return promise;
  }

  get #hasRoom(): boolean {
    return this.stream.readableLength < this.#bounds.heldCharacters;
  }

  /** A proxy that sees nothing for a while would end the connection; and who reads has to learn that nothing happens. */
  #beat(): void {
    if (!this.#hasRoom) return;
    this.#sayLeftOut();
    this.stream.push(": heartbeat\n\n");
  }

  #sayLeftOut(): void {
    const { events, records } = this.#leftOut;
    if (events + records === 0) return;
    this.#push("left_out", JSON.stringify({ events, records }));
    this.#leftOut = { events: 0, records: 0 };
  }

  #push(name: string, data: string): void {
    this.stream.push(`event: ${name}\ndata: ${data}\n\n`);
  }
}
