// The worst that the destinations of one source may ask together (services/control/resources/destinations/source-costs.ts), and a call that costs them most.
import type { DestinationConfig } from "#topics";
import { destination } from "../../services/webhook-router/fixtures/calls.ts";
import {
  choicesFilter,
  deepFilter,
  deepProperties,
  LAST_CHOICE,
  worstFilter,
  worstProperties,
} from "./worst-definitions.ts";

const MAX_DESTINATIONS = 1_000;
const MAX_SEARCHES = 2_000;
const SEARCHES_A_FILTER = 100;

/** What a destination asks. */
export interface Asked {
  readonly filter: object | null;
  readonly events: readonly string[] | null;
}

export interface WorstCall {
  readonly event: string;
  /** `index` makes it another. */
  properties(index: number): object;
}

/** With the call that costs most: all of its destinations get it. */
export interface WorstSource extends WorstCall {
  readonly name: string;
  /** All destinations that a source may have. */
  readonly asked: readonly Asked[];
}

const EVERYTHING: Asked = { filter: null, events: null };

const many = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** Texts with a letter of two bytes take longest. */
export const sourceProperties = (index: number): object => ({
  ...deepProperties(),
  text: `${index} €${"a".repeat(30_000)}`,
  choice: LAST_CHOICE,
});

function sourceOf(
  name: string,
  asked: readonly Partial<Asked>[],
  { event, ...more }: { event?: string; properties?: (index: number) => object } = {},
): WorstSource {
  const all = many(MAX_DESTINATIONS, (index) => ({ ...EVERYTHING, ...asked[index] }));
  return { name, asked: all, event: event ?? "Read", properties: sourceProperties, ...more };
}

const searches = many(MAX_SEARCHES / SEARCHES_A_FILTER, (index) => ({ filter: worstFilter(index) }));
const deep = (filters: number): Partial<Asked>[] =>
  [...many(filters, (index) => deepFilter(index)), deepFilter(filters, 26)].map((filter) => ({ filter }));

/** As long as a name in `events` may be. The others are like it but for their end, where it has another letter. */
const EVENT = `${"e".repeat(199)}€`;
const OTHER_EVENTS = many(999, (index) => `${"e".repeat(196)}${String(index).padStart(4, "0")}`);

export const WORST_SOURCES: readonly WorstSource[] = [
  sourceOf("1,000 destinations", []),
  sourceOf("2,000 searches", searches, { properties: worstProperties }),
  sourceOf("2,000 searches, letters of two bytes", searches),
  sourceOf("10,000 conditions 60 levels deep", deep(9)),
  sourceOf(
    "1,680 lists of 500 choices",
    many(28, (index) => ({ filter: choicesFilter(index) })),
  ),
  sourceOf(
    "49,000 names of events",
    many(49, () => ({ events: [...OTHER_EVENTS, EVENT] })),
    { event: EVENT },
  ),
  // A filter of searches has 105 conditions, and a leaf of others 21.
  sourceOf("2,000 searches and 7,896 other conditions", [...searches, ...deep(7)]),
];

export function destinationsOf({ asked }: Pick<WorstSource, "asked">): DestinationConfig[] {
  return asked.map(({ events, filter }, index) =>
    destination(`d${index}`, {
      events: events && [...events],
      filter: filter && JSON.stringify(filter),
    }),
  );
}

/** The call as it is delivered. */
export function bodyOf(index: number, call: WorstCall): Buffer {
  const body = { type: "track", userId: "u1", event: call.event, properties: call.properties(index) };
  return Buffer.from(JSON.stringify(body));
}
