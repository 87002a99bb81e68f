// A moment, relative or exact as the reader has chosen; the other way is its title.
import { useSyncExternalStore } from "react";
import { preferences } from "./preferences.ts";
import { relativeTime } from "./times.ts";

const TICK_MS = 1_000;
const ticking = new Set<() => void>();
let nowMs = Date.now();
setInterval(() => {
  if (document.hidden || ticking.size === 0) return;
  nowMs = Date.now();
  for (const tick of ticking) tick();
}, TICK_MS);

function subscribe(listener: () => void): () => void {
  ticking.add(listener);
  return () => void ticking.delete(listener);
}

const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function Time({ at }: { readonly at: string | null }) {
  const now = useSyncExternalStore(subscribe, () => nowMs);
  const { times } = useSyncExternalStore(preferences.subscribe, preferences.get);
  if (at === null) return <span className="quiet">–</span>;
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs)) return <span>{at}</span>;
  const shown = { relative: relativeTime(atMs, now), local: local.format(atMs), utc: at };
  return (
    <time dateTime={at} title={`${shown.local} · ${at} · ${shown.relative}`}>
      {shown[times]}
    </time>
  );
}
