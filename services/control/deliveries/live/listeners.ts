// Who watches which source or destination (decision 81). What happens is held for a while, so that whoever was cut off comes back without a gap.
import type { Readable } from "node:stream";
import type { Host, Timer } from "#host";
import { ProblemError } from "../../http/problem.ts";
import { HeldEvents } from "./held-events.ts";
import { Listener } from "./listener.ts";

/** What is watched. */
export type Subject = { readonly sourceId: string } | { readonly destinationId: string };

/** Something that has happened; `data` is made only when it is watched. */
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
  /** Of one source or destination; of the rest only the number is told. */
  eventsPerSecond: 50,
  /** What a listener that does not read may hold, and what is held of one source or destination, in characters. */
  heldCharacters: 512 * 1024,
  /** So long events are held when the last listener has gone. */
  heldMs: 300_000,
  heartbeatMs: 15_000,
} as const;

export type LiveBounds = { readonly [name in keyof typeof LIVE_BOUNDS]: number };

export interface ListenersOptions {
  readonly host: Pick<Host, "elapsed" | "setInterval" | "setTimeout" | "uuid">;
  /** Called when the first source is watched, and when the last one is not any more. */
  onSourcesWatched(isWatched: boolean): void;
  readonly bounds?: LiveBounds;
}

/** One source or destination, and who listens to it. */
interface Watched {
  readonly subject: Subject;
  readonly held: HeldEvents;
  readonly listeners: Set<Listener>;
  /** Until it is forgotten; undefined while somebody listens. */
  forget: Timer | undefined;
  second: number;
  told: number;
}

interface Caller {
  /** The name of the token. */
  readonly token: string;
  /** Of the ticket by which the caller was let in. */
  readonly ticketId?: string | undefined;
  /** Of the last event that the caller had. */
  readonly lastId?: string | undefined;
}

export class Listeners {
  readonly #options: ListenersOptions;
  readonly #bounds: LiveBounds;
  readonly #watched = new Map<string, Watched>();
  #sourceIds: ReadonlySet<string> = new Set();
  #isOver = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? LIVE_BOUNDS;
  }

  /** Also for a while after the last listener has gone. */
  get isWatched(): boolean {
    return this.#watched.size > 0;
  }

  /** Of the sources that are watched. */
  get sourceIds(): ReadonlySet<string> {
    return this.#sourceIds;
  }

  /**
   * The events of a subject from now on, or from behind `lastId`, as server-sent events. Throws a 503 when too many listen, of all or with
   * this token, and at the end. A ticket is for one stream: whoever comes again with it ends the stream that it had.
   */
  listen(subject: Subject, { lastId, ticketId, token }: Caller): Readable {
    const all = this.#listeners;
    const before = all.filter((listener) => ticketId !== undefined && listener.ticketId === ticketId);
    this.#requirePlace(
      token,
      all.filter((listener) => !before.includes(listener)),
    );
    for (const listener of before) void listener.end();
    const watched = this.#watch(subject);
    const listener = new Listener({ token, ticketId, host: this.#options.host, bounds: this.#bounds });
    if (lastId !== undefined) listener.resume(watched.held.since(lastId));
    watched.listeners.add(listener);
    listener.stream.once("close", () => this.#left(watched, listener));
    // Records of attempts are read all the time.
    if ("destinationId" in subject) this.#begin(watched);
    return listener.stream;
  }

  tell(event: LiveEvent): void {
    const watched = [this.#watched.get(keyOf({ sourceId: event.sourceId }))];
    const { destinationId } = event;
    if (destinationId !== undefined) watched.push(this.#watched.get(keyOf({ destinationId })));
    let data: string | undefined;
    for (const each of watched) {
      if (each === undefined) continue;
      if (!this.#isWithinRate(each)) {
        leaveOut(each, { events: 1, records: 0 });
        continue;
      }
      data ??= JSON.stringify(event.data());
      const held = each.held.add(event.name, data);
      for (const listener of each.listeners) listener.tell(held);
    }
  }

  /** Everything that happens from now on is told. */
  begun(): void {
    for (const watched of this.#watched.values()) this.#begin(watched);
  }

  /** Records that were passed over, whoever they are of. */
  passedOver(records: number): void {
    for (const watched of this.#watched.values())
      if ("sourceId" in watched.subject) leaveOut(watched, { events: 0, records });
  }

  /** Ends every listener, and nobody may listen any more; resolves when all have gone. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.disconnect();
    for (const watched of [...this.#watched.values()]) this.#forget(watched);
  }

  /** Ends who listens now; resolves when all have gone. Who may listen still comes again. */
  async disconnect(): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => listener.end()));
  }

  get #listeners(): Listener[] {
    return [...this.#watched.values()].flatMap(({ listeners }) => [...listeners]);
  }

  #requirePlace(token: string, all: readonly Listener[]): void {
    if (this.#isOver) throw new ProblemError("unavailable", "the service is ending");
    const { listeners: most, listenersOfToken: mostOfToken } = this.#bounds;
    if (all.length >= most)
      throw new ProblemError("unavailable", `${most} listen already, which is the most`);
    const own = all.filter((listener) => listener.token === token).length;
    if (own >= mostOfToken)
      throw new ProblemError(
        "unavailable",
        `${own} listen already with the token ${token}, which is the most`,
      );
  }

  #watch(subject: Subject): Watched {
    const known = this.#watched.get(keyOf(subject));
    if (known !== undefined) {
      known.forget?.clear();
      known.forget = undefined;
      return known;
    }
    this.#makeRoom();
    const held = new HeldEvents(this.#options.host.uuid(), this.#bounds.heldCharacters);
    const watched: Watched = {
      ...{ subject, held, listeners: new Set<Listener>() },
      ...{ forget: undefined, second: 0, told: 0 },
    };
    this.#watched.set(keyOf(subject), watched);
    this.#changed();
    return watched;
  }

  /** As many as may be listened to are held: what was left first is forgotten first. */
  #makeRoom(): void {
    if (this.#watched.size < this.#bounds.listeners) return;
    const left = [...this.#watched.values()].find(({ listeners }) => listeners.size === 0);
    if (left !== undefined) this.#forget(left);
  }

  #left(watched: Watched, listener: Listener): void {
    listener.stop();
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0) return;
    // At the end: what was left first stands first.
    this.#watched.delete(keyOf(watched.subject));
    this.#watched.set(keyOf(watched.subject), watched);
    watched.forget = this.#options.host.setTimeout(() => this.#forget(watched), this.#bounds.heldMs);
  }

  #forget(watched: Watched): void {
    watched.forget?.clear();
    this.#watched.delete(keyOf(watched.subject));
    this.#changed();
  }

  #begin({ held, listeners }: Watched): void {
    for (const listener of listeners) listener.begun(held.lastId, this.#bounds.eventsPerSecond);
  }

  #isWithinRate(watched: Watched): boolean {
    const second = Math.floor(this.#options.host.elapsed() / 1_000);
    if (second !== watched.second) [watched.second, watched.told] = [second, 0];
    watched.told += 1;
    return watched.told <= this.#bounds.eventsPerSecond;
  }

  #changed(): void {
    const before = this.#sourceIds.size;
    const subjects = [...this.#watched.values()].map(({ subject }) => subject);
    this.#sourceIds = new Set(subjects.flatMap((subject) => ("sourceId" in subject ? subject.sourceId : [])));
    const isWatched = this.#sourceIds.size > 0;
    if (isWatched !== before > 0) this.#options.onSourcesWatched(isWatched);
  }
}

function leaveOut(
  { held, listeners }: Watched,
  leftOut: { readonly events: number; readonly records: number },
): void {
  held.leaveOut(leftOut);
  for (const listener of listeners) listener.leaveOut(leftOut);
}

function keyOf(subject: Subject): string {
  return "sourceId" in subject ? `source ${subject.sourceId}` : `destination ${subject.destinationId}`;
}
