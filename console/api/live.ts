// A live stream of control as a list of events, the newest first. It connects again when it ends, and has what came meanwhile from control, which
// holds it for some minutes.
import { useEffect, useRef, useState } from "react";
import { problemOf } from "./problem.ts";
import { eventReader, type ServerSentEvent } from "./server-sent-events.ts";
import { session } from "./session.ts";

export interface LiveEntry {
  /** Counts up within one page. */
  readonly id: number;
  readonly name: string;
  /** Unix ms at which the browser had it. */
  readonly seenAtMs: number;
  /** As it came. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type LiveState = "connecting" | "listening" | "paused" | { readonly problem: string };

const KEPT = 10_000;
/** Of their JSON: a call has up to 32 KB. */
const KEPT_CHARACTERS = 16_000_000;
const RECONNECT_MS = 2_000;
/** Fifty events a second are drawn in five steps. */
const DRAW_MS = 200;

/** A hidden tab lets go of its place among the listeners; whoever only looks elsewhere for a moment misses nothing. */
const HIDDEN_MS = 60_000;

interface Asked {
  readonly path: string;
  readonly lastId: string | undefined;
  readonly signal: AbortSignal;
}

/** Calls `onEvent` for each event until the stream ends; throws an ApiProblem when it is refused. */
async function listen({ lastId, path, signal }: Asked, onEvent: (event: ServerSentEvent) => void) {
  const headers = lastId === undefined ? undefined : { "last-event-id": lastId };
  const answer = await session.read(() => fetch(path, { signal, ...(headers && { headers }) }));
  if (!answer.ok || answer.body === null)
    throw problemOf(answer.status, await answer.json().catch(() => undefined));
  const read = eventReader();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    for (const event of read(value ?? "")) onEvent(event);
}

/** As many of them as are kept. */
function newest(entries: readonly LiveEntry[]): readonly LiveEntry[] {
  let characters = 0;
  const end = entries.findIndex(({ text }, index) => {
    characters += text.length;
    return index >= KEPT || characters > KEPT_CHARACTERS;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

export interface Live {
  readonly entries: readonly LiveEntry[];
  readonly state: LiveState;
  readonly clear: () => void;
}

/** Whether the tab has not been seen for so long. */
function useHidden(afterMs: number): boolean {
  const [isHidden, setIsHidden] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => setIsHidden(true), afterMs);
      else setIsHidden(false);
    };
    changed();
    document.addEventListener("visibilitychange", changed);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", changed);
    };
  }, [afterMs]);
  return isHidden;
}

/** While paused nothing is listened to; what came meanwhile is there afterwards. */
export function useLive(path: string, isPaused: boolean): Live {
  const [entries, setEntries] = useState<readonly LiveEntry[]>([]);
  const [state, setState] = useState<LiveState>("connecting");
  const count = useRef(0);
  const had = useRef<{ readonly path: string; readonly id: string }>(undefined);
  const isHidden = useHidden(HIDDEN_MS);
  const isAway = isPaused || isHidden;
  useEffect(() => {
    if (isAway) {
      setState("paused");
      return;
    }
    const end = new AbortController();
    const waiting: LiveEntry[] = [];
    const draw = (): void => {
      if (waiting.length === 0) return;
      const fresh = waiting.splice(0).reverse();
      setEntries((known) => newest([...fresh, ...known]));
    };
    const drawing = setInterval(draw, DRAW_MS);
    const onEvent = ({ data, id, name }: ServerSentEvent): void => {
      if (id !== undefined) had.current = { path, id };
      if (name === "listening") {
        setState("listening");
        return;
      }
      count.current += 1;
      waiting.push({ id: count.current, name, seenAtMs: Date.now(), text: data, data: JSON.parse(data) });
    };
    const lastId = () => (had.current?.path === path ? had.current.id : undefined);
    void follow(path, end.signal, { lastId, onEvent, setState });
    return () => {
      end.abort();
      clearInterval(drawing);
      // They are not sent again.
      draw();
    };
  }, [path, isAway]);
  return { entries, state, clear: () => setEntries([]) };
}

interface Follower {
  readonly lastId: () => string | undefined;
  readonly onEvent: (event: ServerSentEvent) => void;
  readonly setState: (state: LiveState) => void;
}

async function follow(
  path: string,
  signal: AbortSignal,
  { lastId, onEvent, setState }: Follower,
): Promise<void> {
  while (!signal.aborted) {
    setState("connecting");
    try {
      await listen({ path, lastId: lastId(), signal }, onEvent);
    } catch (error) {
      if (!signal.aborted) setState({ problem: error instanceof Error ? error.message : String(error) });
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
