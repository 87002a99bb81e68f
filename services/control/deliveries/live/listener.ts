// One who watches a source or a destination, and what they are told: server-sent events.
import { Readable } from "node:stream";
import type { Host, Timer } from "#host";
import type { HeldEvent, LeftOut, Missed } from "./held-events.ts";

export interface ListenerBounds {
  /** What a listener that does not read may hold, in characters, beside what its connection takes. */
  readonly heldCharacters: number;
  readonly heartbeatMs: number;
}

interface ListenerOptions {
  readonly token: string;
  readonly ticketId: string | undefined;
  readonly host: Pick<Host, "setInterval" | "setTimeout">;
  readonly bounds: ListenerBounds;
}

/** A listener that has not taken its last words by then is cut off. */
const LAST_WORDS_MS = 1_000;

export class Listener {
  readonly token: string;
  readonly ticketId: string | undefined;
  readonly stream = new Readable({ read: () => undefined, encoding: "utf8" });
  readonly #host: ListenerOptions["host"];
  readonly #bounds: ListenerBounds;
  readonly #heartbeat: Timer;
  #hasBegun = false;
  #ending: Promise<void> | undefined;
  #leftOut = { events: 0, records: 0 };

  constructor({ token, ticketId, host, bounds }: ListenerOptions) {
    this.token = token;
    this.ticketId = ticketId;
    this.#host = host;
    this.#bounds = bounds;
    this.#heartbeat = host.setInterval(() => this.#beat(), bounds.heartbeatMs);
  }

  /** What came while nobody listened here, all that is held of it, which is bounded; to be called first. */
  resume({ events, leftOut, missed }: Missed): void {
    if (missed !== 0) this.#push({ name: "missed", data: JSON.stringify({ events: missed }) });
    for (const event of events) {
      this.leaveOut(event.leftOut);
      this.#sayLeftOut();
      this.#push(event);
    }
    this.leaveOut(leftOut);
  }

  /** Nothing is missed from now on; `id` is of the last event before. */
  begun(id: string, eventsPerSecond: number): void {
    if (this.#hasBegun || this.#ending !== undefined) return;
    this.#hasBegun = true;
    this.#push({ id, name: "listening", data: JSON.stringify({ eventsPerSecond }) });
  }

  tell(event: Pick<HeldEvent, "id" | "name" | "data">): void {
    if (this.#ending !== undefined) return;
    if (!this.#hasRoom) {
      this.#leftOut.events += 1;
      return;
    }
    this.#sayLeftOut();
    this.#push(event);
  }

  leaveOut({ events, records }: LeftOut): void {
    this.#leftOut.events += events;
    this.#leftOut.records += records;
  }

  stop(): void {
    this.#heartbeat.clear();
  }

  /** Resolves when the connection has taken the end, or was cut off. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  #end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stop();
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
    this.#push({ name: "left_out", data: JSON.stringify({ events, records }) });
    this.#leftOut = { events: 0, records: 0 };
  }

  #push({ data, id, name }: { readonly id?: string; readonly name: string; readonly data: string }): void {
    this.stream.push(`event: ${name}\ndata: ${data}\n${id === undefined ? "" : `id: ${id}\n`}\n`);
  }
}
