// What an option of a destination is: its field of the API, and the field of the record that it is kept in.
import { type TUnsafe, Type } from "typebox";
import { formatDuration, parseDuration } from "#contract";
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
  /** Its description is the option's documentation. Bounds that a schema cannot say are in rules.ts. */
  readonly schema: TUnsafe<Given>;
  readonly storedAs: Stored;
  readonly shown: Shown;
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

/** Given as 30m or PT30M, kept in milliseconds; null is kept. */
export function duration<Stored extends DurationField>(
  storedAs: Stored,
  shown: Shown,
  description: string,
): Option<string | null, Stored> {
  return {
    schema: nullable<string>(Type.String({ description })),
    storedAs,
    shown,
    store: (given) => (parseDuration(given) ?? null) as DestinationConfig[Stored],
    show: (stored) => (stored === null ? null : formatDuration(stored as number)),
  };
}
