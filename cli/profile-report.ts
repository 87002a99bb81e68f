// What the control API says of one user, as tables for a person. Pure.
import type { CallUser, JsonObject } from "#contract";
import type { Columns } from "./output.ts";

interface Named {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  readonly since: string;
  readonly isIncomplete: boolean;
}

/** Of the answer of GET /v1/profiles/{id} what is shown; times are ISO 8601. */
export interface ProfileAnswer extends CallUser {
  readonly groupId: string | null;
  readonly isSuppressed: boolean;
  readonly isIncomplete: boolean;
  readonly deletedAt: string | null;
  readonly traits: readonly JsonObject[];
  readonly computedTraits: readonly (Named & { readonly value: unknown })[];
  readonly audiences: readonly (Named & { readonly member: boolean })[];
  readonly events: readonly JsonObject[];
  readonly ids: { readonly data: readonly CallUser[]; readonly isComplete: boolean };
  readonly calls: { readonly data: readonly JsonObject[]; readonly from: string | null };
}

interface ReportTable {
  readonly title: string;
  readonly columns: Columns;
  readonly data: readonly JsonObject[];
}

export interface ProfileReport {
  readonly heading: string;
  readonly tables: readonly ReportTable[];
  /** What the tables lack. */
  readonly notes: readonly string[];
}

export function profileReport(answer: ProfileAnswer): ProfileReport {
  const { deletedAt, isSuppressed } = answer;
  const states = [
    ...(isSuppressed ? ["suppressed: nothing is said of this user"] : []),
    ...(deletedAt === null ? [] : [`deleted ${deletedAt}`]),
  ];
  const heading = [nameOf(answer), ...states].join(", ");
  return isSuppressed
    ? { heading, tables: [], notes: [] }
    : { heading, tables: tablesOf(answer), notes: notesOf(answer) };
}

function nameOf({ anonymousId, groupId, userId }: ProfileAnswer): string {
  if (typeof groupId === "string") return `account ${groupId}`;
  return userId === null ? `anonymous ${anonymousId ?? "-"}` : `user ${userId}`;
}

function tablesOf({ audiences, calls, computedTraits, events, ids, traits }: ProfileAnswer): ReportTable[] {
  const left = (isIncomplete: boolean) => (isIncomplete ? "yes" : "no");
  return [
    { title: "Traits", columns: { key: "key", value: "value", since: "updatedAt" }, data: traits },
    {
      title: "Computed traits",
      columns: { key: "key", value: "value", since: "since", incomplete: "incomplete", id: "id" },
      data: computedTraits.map(({ isIncomplete, ...one }) => ({ ...one, incomplete: left(isIncomplete) })),
    },
    {
      title: "Audiences",
      columns: { name: "name", state: "state", since: "since", incomplete: "incomplete", id: "id" },
      data: audiences.map(({ isIncomplete, member, ...one }) => ({
        ...one,
        state: member ? "in" : "left",
        incomplete: left(isIncomplete),
      })),
    },
    {
      title: "Events",
      columns: { type: "type", name: "name", calls: "count", first: "firstAt", last: "lastAt" },
      data: events,
    },
    {
      title: "Ids that lead here",
      columns: { "user id": "userId", "anonymous id": "anonymousId" },
      data: ids.data.map((id) => ({ ...id })),
    },
    {
      title: "Last calls",
      columns: {
        received: "receivedAt",
        type: "type",
        outcome: "outcome",
        source: "sourceId",
        call: "messageId",
      },
      data: calls.data,
    },
  ];
}

function notesOf({ calls, ids, isIncomplete }: ProfileAnswer): string[] {
  return [
    ...(isIncomplete
      ? ["The profile had no room for everything: counts and what is marked incomplete lack something."]
      : []),
    ...(ids.isComplete ? [] : ["There may be more ids: not every profile was looked at."]),
    ...(calls.from === null ? [] : [`Calls were looked for back to ${calls.from}.`]),
  ];
}
