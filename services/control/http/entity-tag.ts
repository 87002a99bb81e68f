// Versions as HTTP names them (RFC 9110, 8.8.3 and 13.1.1).
import { hash } from "node:crypto";
import { isJsonObject } from "#contract";
import { ProblemError } from "./problem.ts";

const HASH_CHARACTERS = 22;

/**
 * The entity tag of a record: a hash of all that it holds, whatever the order of its fields. It names what was configured; what answers say beside
 * that (health, progress, members) changes without it.
 */
export function entityTag(record: object): string {
  const text = JSON.stringify(record, (_, value: unknown) => (isJsonObject(value) ? sorted(value) : value));
  return `"${hash("sha256", text, "base64url").slice(0, HASH_CHARACTERS)}"`;
}

/** What is not there is of the version "". */
export function versionOf(record: object | undefined): string {
  return record === undefined ? "" : entityTag(record);
}

function sorted(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Throws a 412 when If-Match is given and names other versions than this one. A weak tag names none. */
export function checkIfMatch(ifMatch: string | undefined, record: object): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const tag = entityTag(record);
  if (ifMatch.split(",").some((given) => given.trim() === tag)) return;
  throw new ProblemError(
    "precondition_failed",
    `If-Match names another version than the present one, ${tag}: read it again, and send the change with its ETag`,
  );
}
