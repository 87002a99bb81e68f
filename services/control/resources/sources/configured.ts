import type { SourceConfig } from "#topics";
import type { Listed } from "../../http/pages.ts";
import { ConfiguredValues, decodedNow, type ReadersOf, toldWith } from "../../records/configured-values.ts";
import type { Listing } from "../../records/listing.ts";

const ROW = ["name", "enabled", "labels"] as const satisfies readonly (keyof SourceConfig)[];

/** What lists look at of a source beside its id and age. */
export type SourceRow = Pick<SourceConfig, (typeof ROW)[number]>;
export type SourceListing = Listing<SourceConfig, SourceRow>;

/** All sources as bytes, and how a table reads them. */
export function configuredSources({ serde, slices, topic }: ReadersOf<"source-config">) {
  const told = serde.decodeFields(topic, ["id", "createdAtMs"]);
  const row = serde.decodeFields(topic, ROW);
  const values = new ConfiguredValues<SourceConfig, Listed, SourceRow>(
    {
      whole: (bytes) => decodedNow(serde.decode(topic, bytes)),
      told: (bytes) => decodedNow(told(bytes)),
      row: (bytes) => decodedNow(row(bytes)),
      groupsOf: () => [],
    },
    slices,
  );
  return { values, told: toldWith(told, row) };
}
