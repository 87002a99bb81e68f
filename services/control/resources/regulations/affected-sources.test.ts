import { expect, test } from "@jest/globals";
import { destination } from "#support/records";
import { listingOf } from "../../records/fixtures/listing.ts";
import { groupsOf } from "../destinations/configured.ts";
import { createSource } from "../sources/source.ts";
import { affectedSources } from "./affected-sources.ts";

const DESTINATIONS = [
  destination({ id: "d1", enabled: true, sourceIds: ["s2", "s1"] }),
  destination({ id: "d2", enabled: false, sourceIds: ["s3"] }),
  destination({ id: "d3", enabled: true, sourceIds: ["s2"] }),
];
const SOURCES = ["s1", "s2", "s3"].map((id) => createSource({ id, name: id, writeKey: id }, 1));

test("a regulation affects the sources with an enabled destination when it deletes, else those that it is for", async () => {
  const configured = {
    sources: listingOf(() => SOURCES),
    destinations: listingOf(() => DESTINATIONS, groupsOf),
  };
  const affected = (regulationType: "DELETE_ONLY" | "SUPPRESS_ONLY", sourceId: string | null = null) =>
    affectedSources(configured, { regulationType, sourceId });
  expect(await affected("DELETE_ONLY")).toEqual(["s1", "s2"]);
  expect(await affected("DELETE_ONLY", "s2")).toEqual(["s2"]);
  expect(await affected("DELETE_ONLY", "s3")).toEqual([]);
  expect(await affected("SUPPRESS_ONLY")).toEqual(["s1", "s2", "s3"]);
  expect(await affected("SUPPRESS_ONLY", "s3")).toEqual(["s3"]);
});
