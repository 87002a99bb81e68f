// Which user's calls are asked for: a call is its user's by the userId, else by the anonymousId (contract 1.8).
import { Type } from "typebox";
import type { CallUser } from "#contract";
import { nullableString } from "./nullable.ts";
import { type FieldProblem, refused } from "./problem.ts";

/** Of a query or a body. */
export const USER_FIELDS = {
  userId: Type.Optional(Type.String({ minLength: 1, description: "Only calls of this user." })),
  anonymousId: Type.Optional(
    Type.String({ minLength: 1, description: "Only calls with this anonymousId and without a userId." }),
  ),
};

/** Of an answer. */
export const USER_VIEW = {
  userId: nullableString("Of the call; null when it has none, or its record is older than this field."),
  anonymousId: nullableString("Of the call; null as userId."),
};

interface Asked {
  readonly userId?: string;
  readonly anonymousId?: string;
}

export function userProblems({ anonymousId, userId }: Asked): FieldProblem[] {
  if (userId === undefined || anonymousId === undefined) return [];
  return [
    { path: "anonymousId", message: "cannot be given beside userId: a call with both is its userId's" },
  ];
}

/** Undefined: every user's. Throws a 422 when both are given. */
export function readUser(asked: Asked): CallUser | undefined {
  const problems = userProblems(asked);
  if (problems.length > 0) throw refused(problems);
  const { anonymousId = null, userId = null } = asked;
  return userId === null && anonymousId === null ? undefined : { userId, anonymousId };
}
