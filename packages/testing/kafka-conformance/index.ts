import { describeAdministration } from "./administration.ts";
import type { ConformanceBench } from "./bench.ts";
import { describeGroups } from "./groups.ts";
import { describePlaces } from "./places.ts";
import { describePolling } from "./polling.ts";
import { describeWritingAndReading } from "./writing-and-reading.ts";

export type { ConformanceBench } from "./bench.ts";
export { joinOnce } from "./member.ts";

/** What the product's code relies on in a cluster: Kafka and the simulated one both pass. Where they differ, the simulation is wrong. */
export function describeConformance(bench: () => ConformanceBench): void {
  describeWritingAndReading(bench);
  describePolling(bench);
  describeAdministration(bench);
  describeGroups(bench);
  describePlaces(bench);
}
