import type { Fault } from "../plan/plan.ts";
import { law, type Story } from "./story.ts";

type Kind = Fault["kind"];

/** Lines of level error that a fault explains: the cluster or the disk fails for long enough. */
const EXPLAINED: readonly { readonly message: RegExp; readonly by: readonly Kind[] }[] = [
  { message: /^assigned partitions cannot be opened yet$/, by: ["cut", "broker", "leaders", "requests"] },
  { message: /^part did not stop within the grace time$/, by: ["cut", "broker", "requests", "freeze"] },
  { message: /^part failed to stop$/, by: ["full_disk"] },
  { message: /^service cannot go on$/, by: ["full_disk"] },
  { message: /^records were removed before they were read$/, by: ["retention"] },
  { message: /^what a record becomes could not be written; it stays uncommitted$/, by: ["requests"] },
  { message: /^what a woken call becomes could not be written; it is tried again$/, by: ["requests"] },
];

function isExplained(message: string, { plan }: Story): boolean {
  const kinds = new Set(plan.faults.map(({ kind }) => kind));
  return EXPLAINED.some((each) => each.message.test(message) && each.by.some((kind) => kinds.has(kind)));
}

/** No line asks for a person where no fault explains it, and no error goes unheard. */
export const nothingGoesWrongUnexplained = law("no error that no fault explains", function* (story) {
  for (const { atMs, facts, level, message, process } of story.logs) {
    if ((level === "error" || level === "fatal") && !isExplained(message, story))
      yield `${process} at ${atMs} ms: ${message} ${describe(facts)}`;
  }
  for (const error of story.unhandled) yield `nobody has handled: ${error}`;
});

function describe(facts: object): string {
  return Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name}=${value instanceof Error ? (value.stack ?? value.message) : JSON.stringify(value)}`,
    )
    .join(" ");
}
