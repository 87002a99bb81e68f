import type { DestinationConfig } from "#topics";
import { ConfiguredValues, decodedNow, type ReadersOf, toldWith } from "../../records/configured-values.ts";
import type { Listing } from "../../records/listing.ts";

const TOLD = [
  "id",
  "createdAtMs",
  "enabled",
  "sourceIds",
  "filter",
  "events",
  "pausedAtMs",
  // Its type is that of the headers of webhooks, and stands here.
  "sharedSecret",
  "webhooks",
] as const satisfies readonly (keyof DestinationConfig)[];

const ROW = [
  "name",
  "enabled",
  "labels",
  "sourceIds",
] as const satisfies readonly (keyof DestinationConfig)[];

/** What a change of a destination tells. */
type ToldDestination = Pick<DestinationConfig, (typeof TOLD)[number]>;

/** What lists look at of a destination beside its id and age. */
export type DestinationRow = Pick<DestinationConfig, (typeof ROW)[number]>;
export type DestinationListing = Listing<DestinationConfig, DestinationRow>;

/** Groups of destinations. */
export const PAUSED = "paused";
export const ofSource = (sourceId: string): string => `s ${sourceId}`;
export const ofUrl = (url: string): string => `u ${url}`;

/** Those that it is in. */
export function groupsOf({
  enabled,
  pausedAtMs,
  sourceIds,
  webhooks,
}: Pick<ToldDestination, "enabled" | "pausedAtMs" | "sourceIds" | "webhooks">): string[] {
  const urls = webhooks.map(({ url }) => ofUrl(url));
  const groups = [...sourceIds.map(ofSource), ...urls];
  if (enabled && pausedAtMs !== null) groups.push(PAUSED);
  return [...new Set(groups)];
}

/** All destinations as bytes, and how a table reads them. */
export function configuredDestinations({ serde, slices, topic }: ReadersOf<"destination-config">) {
  const told = serde.decodeFields(topic, TOLD);
  const row = serde.decodeFields(topic, ROW);
  const values = new ConfiguredValues<DestinationConfig, ToldDestination, DestinationRow>(
    {
      whole: (bytes) => decodedNow(serde.decode(topic, bytes)),
      told: (bytes) => decodedNow(told(bytes)),
      row: (bytes) => decodedNow(row(bytes)),
      groupsOf,
    },
    slices,
  );
  return { values, told: toldWith(told, row) };
}
