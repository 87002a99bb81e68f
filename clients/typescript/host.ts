// What the client takes of where it runs: time, timers, chance, network, the page. Tests give others.

/** The part of fetch that the client uses. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** AbortSignal where the project's types have one: the package's own types need neither those of node nor those of the DOM. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Instance } } ? Instance : unknown;

export interface FetchRequest {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly redirect: "manual";
  readonly signal: Signal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** A browser's page. */
export interface BrowserPage {
  /** Calls back each time the page is hidden, left or closed. Gives what ends that. */
  readonly onHide: (callback: () => void) => () => void;
  /** Leaves a body with the browser, which sends it even when the page is gone; false when it takes no more. */
  readonly beacon: (url: string, body: Uint8Array<ArrayBuffer>) => boolean;
  /** False when there is certainly no network: what the browser took is lost then. */
  readonly isOnline: () => boolean;
}

export interface Host {
  /** The wall clock, in ms. */
  readonly nowMs: () => number;
  /** A clock that nobody sets, in ms. */
  readonly uptimeMs: () => number;
  readonly setTimer: (callback: () => void, delayMs: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
  /** A number in [0, 1). */
  readonly chance: () => number;
  readonly newId: () => string;
  readonly fetch: Fetch;
  readonly log: (line: string) => void;
  /** Whether the environment has DEBUG=analytics, alone or in a list. */
  readonly isDebugging: boolean;
  /** A browser sends its own User-Agent, and would ask the endpoint whether it may send another. */
  readonly canNameItself: boolean;
  readonly page: BrowserPage | undefined;
}

interface EventSource {
  addEventListener(event: string, callback: () => void): void;
  removeEventListener(event: string, callback: () => void): void;
}

/** What only some runtimes have. */
interface Runtime extends Partial<EventSource> {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly document?: EventSource & { readonly visibilityState: string };
  readonly importScripts?: unknown;
  readonly console: { readonly warn: (line: string) => void };
  readonly navigator?: {
    readonly onLine?: boolean;
    readonly sendBeacon?: (url: string, body: Blob) => boolean;
  };
}

interface RandomSource {
  readonly randomUUID?: () => string;
  readonly getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/** A random UUID (version 4). Browsers have randomUUID on https pages alone. */
export function newUuid(source: RandomSource): string {
  if (source.randomUUID !== undefined) return source.randomUUID();
  const bytes = source.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function listen(target: EventSource, event: string, callback: () => void): () => void {
  target.addEventListener(event, callback);
  return () => target.removeEventListener(event, callback);
}

function pageOf({ document, navigator }: Runtime, window: EventSource): BrowserPage | undefined {
  if (document === undefined) return undefined;
  return {
    onHide(callback) {
      const whenHidden = (): void => {
        if (document.visibilityState === "hidden") callback();
      };
      // A tab that is closed is hidden first; older Safari leaves that out when the page changes.
      const ends = [listen(document, "visibilitychange", whenHidden), listen(window, "pagehide", callback)];
      return () => {
        for (const end of ends) end();
      };
    },
    // Plain text: for anything else the browser would have to ask first, and the page may be gone by then.
    beacon(url, body) {
      if (navigator?.sendBeacon !== undefined)
        return navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));
      const headers = { "content-type": "text/plain" };
      fetch(url, { method: "POST", headers, body, keepalive: true }).catch(() => undefined);
      return true;
    },
    isOnline: () => navigator?.onLine !== false,
  };
}

function isDebugging({ process }: Runtime): boolean {
  const names = (process?.env?.["DEBUG"] ?? "").split(/[\s,]+/);
  return names.includes("analytics") || names.includes("*");
}

/** A timer of more than 24.8 days rings at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The runtime that this module was loaded into. */
export function realHost(): Host {
  const runtime = globalThis as unknown as Runtime;
  const isBrowser = runtime.document !== undefined || runtime.importScripts !== undefined;
  return {
    nowMs: () => Date.now(),
    uptimeMs: () => performance.now(),
    setTimer: (callback, delayMs) => setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS)),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    chance: () => Math.random(),
    newId: () => newUuid(crypto),
    fetch: (url, request) => fetch(url, request),
    log: (line) => runtime.console.warn(line),
    isDebugging: isDebugging(runtime),
    canNameItself: !isBrowser,
    page: pageOf(runtime, runtime as EventSource),
  };
}
