import { type Acceptance, refused } from "./acceptance.ts";
import { tailOf } from "./batch.ts";
import { sendBeacons } from "./beacons.ts";
import { encodeMessage } from "./encoding.ts";
import { Endpoint } from "./endpoint.ts";
import type { Host } from "./host.ts";
import { MAX_MESSAGE_BYTES } from "./limits.ts";
import type { Alias, CallType, Group, Identify, Page, Screen, Track } from "./messages.ts";
import { OptionError, type Options, type Settings, settingsOf } from "./options.ts";
import { Outcomes } from "./outcomes.ts";
import { Queue } from "./queue.ts";
import { Sender } from "./sender.ts";
import { type Left, StoreCalls } from "./store-calls.ts";
import { writeMessage } from "./write-message.ts";

/** How a client ended. `unsent` messages were handed to `onError`, or are left in the store. */
export type Closing = { readonly ok: true } | { readonly ok: false; readonly unsent: number };

/** Queues messages in memory and sends them in batches. A call returns at once and never throws. */
export class Client {
  readonly #settings: Settings;
  readonly #host: Host;
  readonly #log: (line: string) => void;
  readonly #isVerbose: boolean;
  readonly #store: StoreCalls | undefined;
  readonly #outcomes: Outcomes;
  readonly #queue: Queue;
  readonly #sender: Sender;
  readonly #leavePage: (() => void) | undefined;
  /** Resolves when messages of an earlier client are among those to be sent. */
  readonly #restored: Promise<void> | undefined;
  #closing: Promise<Closing> | undefined;

  /** Throws an OptionError when an option or the write key is wrong. */
  constructor(writeKey: string, options: Options, host: Host) {
    if (typeof writeKey !== "string" || writeKey === "")
      throw new OptionError("the write key", "must be a text that is not empty");
    const { onError, store, log = host.log, debug = host.isDebugging, fetch = host.fetch } = options;
    const settings = settingsOf(options);
    this.#settings = settings;
    this.#host = host;
    this.#log = log;
    this.#isVerbose = debug;
    this.#store = store && new StoreCalls(store, writeKey, log);
    this.#outcomes = new Outcomes({ onError, store: this.#store, log, isVerbose: debug });
    const tail = tailOf(settings.contextJson);
    this.#queue = new Queue({ settings, host, tail, onReady: () => this.#sender.wake() });
    const endpoint = new Endpoint({ settings, host, fetch, writeKey });
    this.#sender = new Sender({
      settings,
      host,
      queue: this.#queue,
      endpoint,
      outcomes: this.#outcomes,
      debug: (line) => this.#debug(line),
    });
    const beacons = { settings, host, writeKey, endpoint, store: this.#store };
    this.#leavePage = host.page?.onHide(() => sendBeacons(beacons, this.#queue.flushAll()));
    this.#store?.all((left) => this.#queue.restoreFirst(() => this.#restore(left)));
    this.#restored = this.#store?.idle();
    if (this.#store?.isBusy) {
      this.#queue.hold(settings.timeoutMs);
      void this.#restored?.then(() => this.#queue.release());
    }
  }

  /** Ties a user to traits. */
  identify(message: Identify): Acceptance {
    return this.#enqueue("identify", message);
  }

  /** Says that a user did something. */
  track(message: Track): Acceptance {
    return this.#enqueue("track", message);
  }

  /** Says that a user saw a page of a website. */
  page(message: Page): Acceptance {
    return this.#enqueue("page", message);
  }

  /** Says that a user saw a screen of an app. */
  screen(message: Screen): Acceptance {
    return this.#enqueue("screen", message);
  }

  /** Puts a user into a group. */
  group(message: Group): Acceptance {
    return this.#enqueue("group", message);
  }

  /** Says that two ids are one user. */
  alias(message: Alias): Acceptance {
    return this.#enqueue("alias", message);
  }

  /** Resolves when the queue has room for a message of any size, or the client is closed: for programs that rather wait than lose. */
  room(): Promise<void> {
    return this.#queue.room();
  }

  /**
   * Sends what is queued and waits until each message that was accepted before is delivered or handed to `onError`. True when
   * that was so within `timeoutMs` (default: however long it takes). Never rejects.
   */
  flush({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<boolean> {
    return this.#within(timeoutMs, this.#settled());
  }

  /**
   * Refuses further messages, sends what is queued and waits for it. What is not delivered within `timeoutMs` (default: the option
   * `closeTimeoutMs`) is handed to `onError`, or left in the store. Each further close gives the same. Never rejects.
   */
  close({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<Closing> {
    this.#closing ??= this.#close(timeoutMs ?? this.#settings.closeTimeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number): Promise<Closing> {
    this.#queue.close();
    const batches = this.#queue.flushAll();
    await this.#within(timeoutMs, this.#settled());
    this.#sender.giveUp();
    this.#queue.release();
    await Promise.all(batches.map((batch) => batch.settled));
    // Not before: a page that is left meanwhile sends copies.
    this.#leavePage?.();
    const { unsent } = this.#outcomes;
    return unsent === 0 ? { ok: true } : { ok: false, unsent };
  }

  async #settled(): Promise<void> {
    await this.#restored;
    await Promise.all(this.#queue.flushAll().map((batch) => batch.settled));
    await this.#store?.idle();
  }

  /** Whether the work ended in time. */
  async #within(timeoutMs: number | undefined, work: Promise<void>): Promise<boolean> {
    const done = work.then(() => true);
    if (timeoutMs === undefined) return done;
    let timer: unknown;
    const late = new Promise<boolean>((resolve) => {
      timer = this.#host.setTimer(() => resolve(false), timeoutMs);
    });
    const isInTime = await Promise.race([done, late]);
    this.#host.clearTimer(timer);
    return isInTime;
  }

  #enqueue(type: CallType, given: unknown): Acceptance {
    const acceptance = this.#accept(type, given);
    if (acceptance.ok) this.#debug(`queued ${type} ${acceptance.messageId}`);
    else if (this.#isVerbose) this.#log(acceptance.message);
    return acceptance;
  }

  #accept(type: CallType, given: unknown): Acceptance {
    const written = writeMessage(type, given, this.#host);
    if (!written.ok) return written;
    const { messageId, message, json } = written;
    const bytes = encodeMessage(json);
    if (bytes === undefined)
      return refused("message_too_large", `${type}: the message has more than ${MAX_MESSAGE_BYTES} bytes`);
    const entry = this.#store?.entryOf(message);
    const refusal = this.#queue.add(bytes, messageId, entry);
    if (refusal === "closed") return refused(refusal, "the client is closed");
    if (refusal === "queue_full") return refused(refusal, "the queue is full");
    if (entry !== undefined) this.#store?.put(entry, json);
    return { ok: true, messageId };
  }

  /** Takes what an earlier client has left in the store. */
  #restore(left: readonly Left[]): void {
    for (const { messageId, json, entry } of left) {
      const bytes = encodeMessage(json);
      if (bytes === undefined || messageId === undefined || entry === undefined)
        this.#log("hookline: the store has what is no message");
      // Of a client that is closed it stays in the store.
      else if (!this.#queue.restore(bytes, messageId, entry)) return;
    }
  }

  #debug(line: string): void {
    if (this.#isVerbose) this.#log(`hookline: ${line}`);
  }
}
