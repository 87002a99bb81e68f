// What an option of a destination is: its field of the API, and the field of the record that it is kept in.
import { type TUnsafe, Type } from "typebox";
import { formatDuration, parseDuration, UNITS_MS } from "#contract";
import type { DestinationConfig } from "#topics";
import { nullable } from "../../../http/nullable.ts";

/** How the console shows it. */
export interface Shown {
  readonly title: string;
  /** What it decides; left out: how calls are sent. */
  readonly group?: "selection";
  /** How it is given, and what an empty field says. */
  readonly hint?: string;
  /** What a destination does that has none. */
  readonly unset?: string;
}

export interface Option<Given, Stored extends keyof DestinationConfig> {
  /** Its description is the option's documentation; the first sentence stands in docs/use/destinations.md. */
  readonly schema: TUnsafe<Given>;
  readonly storedAs: Stored;
  readonly shown: Shown;
  /** Why a value is refused that the schema takes, as the end of a sentence. */
  refusal?(given: unknown): string | undefined;
  /** Of what the rules have let through. */
  store(given: Given): DestinationConfig[Stored];
  show(stored: DestinationConfig[Stored]): Given;
}

/** Kept as it is given. */
export function asGiven<Stored extends keyof DestinationConfig>(
  storedAs: Stored,
  shown: Shown,
  schema: TUnsafe<DestinationConfig[Stored]>,
): Option<DestinationConfig[Stored], Stored> {
  return { schema, storedAs, shown, store: (given) => given, show: (stored) => stored };
}

type DurationField = {
  [F in keyof DestinationConfig]: null | number extends DestinationConfig[F] ? F : never;
}[keyof DestinationConfig];

const MAX_DURATION_MS = 30 * UNITS_MS.d;

/** Why what is given for a duration is refused; undefined for what is no text too. */
export function durationRefusal(given: unknown, leastMs: number): string | undefined {
  if (typeof given !== "string") return undefined;
  const durationMs = parseDuration(given);
  if (durationMs === undefined) return "is not a duration such as 30m, 2h, 1d or PT2H";
  if (durationMs < leastMs) return `must be at least ${leastMs / 1_000}s`;
  return durationMs > MAX_DURATION_MS ? "must be at most 30d" : undefined;
}

/** Given as 30m or PT30M, kept in milliseconds; null is kept. Without `leastMs` its bounds are in rules.ts. */
export function duration<Stored extends DurationField>(
  storedAs: Stored,
  shown: Shown,
  description: string,
  leastMs?: number,
): Option<string | null, Stored> {
  return {
    schema: nullable<string>(Type.String({ description })),
    storedAs,
    shown,
    ...(leastMs !== undefined && { refusal: (given: unknown) => durationRefusal(given, leastMs) }),
    store: (given) => (parseDuration(given) ?? null) as DestinationConfig[Stored],
    show: (stored) => (stored === null ? null : formatDuration(stored as number)),
  };
}
