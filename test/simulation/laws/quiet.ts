import type { Fault } from "../plan/plan.ts";
import type { LogLine } from "../world/log-book.ts";
import { law, type Story } from "./story.ts";

const ANYBODY = /^/;

type Kind = Fault["kind"];

interface Explained {
  readonly message: RegExp;
  readonly by: readonly Kind[];
  /** Whose lines; everybody's unless given. */
  readonly of?: RegExp;
}

/** Lines of level error that a fault explains: the cluster or the disk fails for long enough. */
const EXPLAINED: readonly Explained[] = [
  { message: /^assigned partitions cannot be opened yet$/, by: ["cut", "broker", "leaders", "requests"] },
  { message: /^part did not stop within the grace time$/, by: ["cut", "broker", "requests", "freeze"] },
  { message: /^part failed to stop$/, by: ["full_disk"] },
  { message: /^service cannot go on$/, by: ["full_disk"] },
  { message: /^assigned partitions cannot be opened yet$/, by: ["full_disk"], of: /^audience-processor/ },
  // A write that is refused for good leaves it no other way: what it has in hand may be durable or not.
  { message: /^service cannot go on$/, by: ["requests"], of: /^audience-processor/ },
  { message: /^records were removed before they were read$/, by: ["retention"] },
  { message: /^a partition's log ends before what was read/, by: ["unclean_election"] },
  { message: /^a partition's log was cut; it is read again from there$/, by: ["unclean_election"] },
  { message: /^what a record becomes could not be written; it stays uncommitted$/, by: ["requests"] },
  { message: /^what a woken call becomes could not be written; it is tried again$/, by: ["requests"] },
];

function isExplained({ message, process }: LogLine, { plan }: Story): boolean {
  const kinds = new Set(plan.faults.map(({ kind }) => kind));
  return EXPLAINED.some(
    (each) =>
      each.message.test(message) &&
      each.by.some((kind) => kinds.has(kind)) &&
      (each.of ?? ANYBODY).test(process),
  );
}

/** No line asks for a person where no fault explains it, and no error goes unheard. */
export const nothingGoesWrongUnexplained = law("no error that no fault explains", function* (story) {
  for (const line of story.logs) {
    const { atMs, facts, level, message, process } = line;
    if ((level === "error" || level === "fatal") && !isExplained(line, story))
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
