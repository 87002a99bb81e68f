// What a regulation would be about, as the API says it.
import { type Static, Type } from "typebox";
import { nullableInteger } from "../../http/nullable.ts";
import type { AffectedUsers, Count } from "./parts.ts";

/** `sourceIds`: those whose receivers are notified, or that a suppression is for. */
export interface Tried {
  readonly users: number;
  readonly sourceIds: readonly string[];
  readonly notifications: number;
  readonly affected: AffectedUsers;
}

const COUNTED = {
  profiles: nullableInteger(
    "Users whom audiences and computed traits know: a deletion removes what they know.",
  ),
  audiences: nullableInteger("Audiences and lists with one of them as a member."),
  memberships: nullableInteger("Memberships in these: each user counts once for each."),
  waitingCalls: nullableInteger("Calls of theirs that wait for a retry: they are delivered all the same."),
  deadLetters: nullableInteger("Of their calls, by userId: replays leave them out after a deletion."),
};

export const RegulationDryRun = Type.Object(
  {
    subjectCount: Type.Integer({ description: "User ids, each counted once." }),
    sources: Type.Array(Type.String(), {
      description: "Of a deletion those whose receivers are notified, else those that it is for.",
    }),
    notifications: Type.Integer({ description: "Delete calls: one for each user and source." }),
    ...COUNTED,
    notKnown: Type.Array(
      Type.Object({
        field: Type.String({ description: "What is null here." }),
        atLeast: Type.Integer({ description: "What was found in time." }),
      }),
      { description: "What could not be counted in four seconds." },
    ),
  },
  {
    title: "RegulationDryRun",
    description: "What the request would be about without `dryRun`. Nothing was changed.",
    examples: [
      {
        ...{ subjectCount: 2, sources: ["src_1", "src_2"], notifications: 4 },
        ...{ profiles: 2, audiences: 3, memberships: 4, waitingCalls: null, deadLetters: 1 },
        notKnown: [{ field: "waitingCalls", atLeast: 12 }],
      },
    ],
  },
);

export function dryRunView({
  affected,
  notifications,
  sourceIds,
  users,
}: Tried): Static<typeof RegulationDryRun> {
  const known = ({ atLeast, isComplete }: Count): number | null => (isComplete ? atLeast : null);
  const { audiences, deadLetters, memberships, profiles, waitingCalls } = affected;
  const notKnown = Object.entries(affected).filter(([, { isComplete }]) => !isComplete);
  return {
    subjectCount: users,
    sources: [...sourceIds],
    notifications,
    profiles: known(profiles),
    audiences: known(audiences),
    memberships: known(memberships),
    waitingCalls: known(waitingCalls),
    deadLetters: known(deadLetters),
    notKnown: notKnown.map(([field, { atLeast }]) => ({ field, atLeast })),
  };
}
