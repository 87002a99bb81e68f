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

type Counted = "profiles" | "memberships" | "audiences" | "waitingCalls" | "deadLetters";

/** What there is of the users, a sentence for each thing; what could not be counted in time is said as well. */
export function affectedBy(tried: Schemas["RegulationDryRun"]): string[] {
  const count = (field: Counted): string => {
    const known = tried[field];
    if (known !== null) return String(known);
    return `at least ${tried.notKnown.find((one) => one.field === field)?.atLeast ?? 0}`;
  };
  const { notifications, sources, subjectCount } = tried;
  return [
    ...(notifications > 0
      ? [`${notifications} notifications to receivers of ${sources.length} sources`]
      : []),
    `${count("profiles")} of ${subjectCount} users are known to audiences and computed traits`,
    `${count("memberships")} memberships in ${count("audiences")} audiences`,
    `${count("waitingCalls")} calls wait, which are delivered all the same`,
    `${count("deadLetters")} dead letters`,
  ];
}
