// The kinds of regulations, as people ask for them.
import type { Schemas } from "../../api/client.ts";

export type RegulationType = Schemas["StartRegulationBody"]["regulationType"];

export const REGULATION_TYPES: readonly (readonly [type: RegulationType, title: string])[] = [
  ["SUPPRESS_WITH_DELETE", "delete and suppress"],
  ["DELETE_ONLY", "delete"],
  ["SUPPRESS_ONLY", "suppress"],
  ["UNSUPPRESS", "end the suppression"],
];

/** As a person is asked before it begins. */
export const CONSEQUENCES: Readonly<Record<RegulationType, string>> = {
  SUPPRESS_WITH_DELETE:
    "What is known of them is removed, receivers are notified, and their calls are dropped from now on. It cannot be taken back.",
  DELETE_ONLY: "What is known of them is removed, and receivers are notified. It cannot be taken back.",
  SUPPRESS_ONLY: "Their calls are dropped from now on, until the suppression is ended.",
  UNSUPPRESS: "Their calls are taken again from now on.",
};

export function titleOf(type: string): string {
  return REGULATION_TYPES.find(([one]) => one === type)?.[1] ?? type;
}

/** One a line; blanks may be part of an id. */
export function userIdsIn(text: string): string[] {
  return [...new Set(text.split(/\r?\n/).filter((line) => line !== ""))];
}
