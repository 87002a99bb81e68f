// The calls of a source as they come: accepted, refused and why, delivered and how.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { type LiveEntry, type LiveState, useLive } from "../../api/live.ts";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { AUDIENCES_SOURCE } from "../../elements/source-link.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Block, Json, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { amount } from "../../elements/times.ts";
import { CallLink } from "../calls/call-link.tsx";
import { bodyOf, lineOf, matches } from "./live-entries.ts";
import { useSourceId } from "./source.tsx";

const KINDS = ["accepted", "refused", "delivery", "left_out", "missed"] as const;
const ROW_PX = 44;

function Listening({ state }: { readonly state: LiveState }) {
  const text = typeof state === "string" ? state : `not connected: ${state.problem}`;
  return (
    <p role="status">
      <Text>{text}</Text>
    </p>
  );
}

function Summary({ entry }: { readonly entry: LiveEntry }) {
  const { call, destinationId, outcome, what } = lineOf(entry);
  return (
    <>
      {outcome === undefined ? <State of={entry.name} /> : <Outcome {...outcome} />}
      <span>
        <Text most={120}>{what}</Text>
      </span>
      {call !== undefined && <CallLink of={call} most={40} />}
      {destinationId !== undefined && <DestinationLink id={destinationId} />}
      <Time at={new Date(entry.seenAtMs).toISOString()} />
    </>
  );
}

function Opened({ entry }: { readonly entry: LiveEntry }) {
  const { body, rest } = bodyOf(entry);
  return (
    <>
      {body !== undefined && <Block label={`Body of event ${entry.id}`}>{body}</Block>}
      <Json label={`Event ${entry.id}`} value={rest} />
    </>
  );
}

interface EntriesProps {
  readonly entries: readonly LiveEntry[];
}

/** Only the rows that are seen are drawn: there may be ten thousand. */
function Entries({ entries }: EntriesProps) {
  const box = useRef<HTMLElement>(null);
  const [open, setOpen] = useState<number>();
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan: 8,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
    <section className="live" ref={box} aria-label="Events, the newest first" tabIndex={0}>
      <ol style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const entry = entries[index];
          if (entry === undefined) return null;
          const isOpen = open === entry.id;
          return (
            <li
              key={String(key)}
              data-index={index}
              ref={rows.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              <div className="row">
                <button
                  type="button"
                  className="small"
                  aria-expanded={isOpen}
                  aria-label={`Body of event ${entry.id}`}
                  onClick={() => setOpen(isOpen ? undefined : entry.id)}
                >
                  {isOpen ? "Close" : "Body"}
                </button>
                <Summary entry={entry} />
              </div>
              {isOpen && <Opened entry={entry} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

export function Debugger() {
  const id = useSourceId();
  const filters = useFilters();
  const [isPaused, setIsPaused] = useState(false);
  const { clear, entries, state } = useLive(`/v1/sources/${encodeURIComponent(id)}/live`, isPaused);
  const kind = filters.get("kind");
  const search = filters.get("text");
  const shown = entries.filter(
    (entry) => (kind === undefined || entry.name === kind) && matches(entry, search),
  );
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="kind" label="What" choices={KINDS} />
        <TextFilter filters={filters} name="text" label="Has the text" />
        <button type="button" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
          {isPaused ? "Go on" : "Pause"}
        </button>
        <button type="button" onClick={clear}>
          Clear
        </button>
      </div>
      <Listening state={state} />
      {shown.length === 0 ? (
        <p className="quiet">
          {entries.length === 0
            ? `Events stand here as they come; those of before the page was opened are not shown.${id === AUDIENCES_SOURCE.id ? "" : " Send a call with a write key of this source."}`
            : `None of ${amount(entries.length, "event")} is like this.`}
        </p>
      ) : (
        <Entries entries={shown} />
      )}
    </>
  );
}
