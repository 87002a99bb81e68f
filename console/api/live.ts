// A live stream of control as a list of events, the newest first. It connects again when it ends; control gives no earlier events then.
import { useEffect, useRef, useState } from "react";
import { problemOf } from "./problem.ts";
import { eventReader } from "./server-sent-events.ts";
import { session } from "./session.ts";

export interface LiveEntry {
  /** Counts up within one page. */
  readonly id: number;
  readonly name: string;
  /** Unix ms at which the browser had it. */
  readonly seenAtMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type LiveState = "connecting" | "listening" | "paused" | { readonly problem: string };

const KEPT = 1_000;
const RECONNECT_MS = 2_000;
/** Fifty events a second are drawn in five steps. */
const DRAW_MS = 200;

/** Calls `onEvent` for each event until the stream ends; throws an ApiProblem when it is refused. */
async function listen(path: string, signal: AbortSignal, onEvent: (name: string, data: string) => void) {
  const answer = await fetch(path, { signal });
  if (answer.status === 401) session.refused();
  if (!answer.ok || answer.body === null)
    throw problemOf(answer.status, await answer.json().catch(() => undefined));
  const read = eventReader();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    for (const { name, data } of read(value ?? "")) onEvent(name, data);
}

export interface Live {
  readonly entries: readonly LiveEntry[];
  readonly state: LiveState;
  readonly clear: () => void;
}

/** While paused nothing is listened to. */
export function useLive(path: string, isPaused: boolean): Live {
  const [entries, setEntries] = useState<readonly LiveEntry[]>([]);
  const [state, setState] = useState<LiveState>("connecting");
  const lastId = useRef(0);
  useEffect(() => {
    if (isPaused) {
      setState("paused");
      return;
    }
    const end = new AbortController();
    const waiting: LiveEntry[] = [];
    const draw = setInterval(() => {
      if (waiting.length === 0) return;
      const fresh = waiting.splice(0).reverse();
      setEntries((known) => [...fresh, ...known].slice(0, KEPT));
    }, DRAW_MS);
    const onEvent = (name: string, data: string): void => {
      if (name === "listening") {
        setState("listening");
        return;
      }
      lastId.current += 1;
      waiting.push({ id: lastId.current, name, seenAtMs: Date.now(), data: JSON.parse(data) });
    };
    void follow(path, end.signal, { onEvent, setState });
    return () => {
      end.abort();
      clearInterval(draw);
    };
  }, [path, isPaused]);
  return { entries, state, clear: () => setEntries([]) };
}

interface Follower {
  readonly onEvent: (name: string, data: string) => void;
  readonly setState: (state: LiveState) => void;
}

async function follow(path: string, signal: AbortSignal, { onEvent, setState }: Follower): Promise<void> {
  while (!signal.aborted) {
    setState("connecting");
    try {
      await listen(path, signal, onEvent);
    } catch (error) {
      if (!signal.aborted) setState({ problem: error instanceof Error ? error.message : String(error) });
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
