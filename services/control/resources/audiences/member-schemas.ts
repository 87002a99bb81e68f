import type { Readable } from "node:stream";
import { type Static, Type } from "typebox";
import type { LeafExplanation } from "#audiences";
import { either, kindField } from "../../http/either.ts";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { PageQuery } from "../../http/pages.ts";
import { isoTime } from "../../http/time-pages.ts";

/** A definition is about users or about accounts: the other one is refused. */
export const ASKED_FIELDS = {
  userId: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: "This user alone." })),
  groupId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: "This account alone, of a definition of accounts.",
    }),
  ),
};

/** Whom an entry is about: of an account the groupId alone, of a user one of the others. */
export const OWNER_FIELDS = {
  userId: nullableString(),
  anonymousId: nullableString(),
  groupId: nullableString(),
};

export const MembersQuery = Type.Object({ ...PageQuery.properties, ...ASKED_FIELDS });

/** What one condition comes to. */
export const LeafField = Type.Object({
  path: Type.String({ description: "Where the condition stands: definition.all[0]" }),
  holds: Type.Boolean(),
  value: Type.Unsafe<unknown>({
    description: "The count of calls or what they come to, the trait, or whether in that audience.",
  }),
  until: Type.Optional(TimeField),
  isOverflowing: Type.Optional(Type.Boolean({ description: "There was more than a profile keeps." })),
});

const Explanation = Type.Object(
  {
    kind: kindField("membership"),
    member: Type.Boolean({ description: "As it was sent last." }),
    since: Type.Optional(TimeField),
    until: Type.Optional(
      Type.String({ format: "date-time", description: "When it ends, or begins, by the passing of time." }),
    ),
    isIncomplete: Type.Optional(
      Type.Boolean({ description: "The profile had no room for something that the definition asks for." }),
    ),
    leaves: Type.Array(LeafField),
  },
  { title: "Membership", description: "Why the user or account is a member, or is not." },
);

const Page = Type.Object(
  {
    kind: kindField("members"),
    data: Type.Array(Type.Object({ ...OWNER_FIELDS, since: TimeField })),
    next: nullableString("Give it as `after` for the next page; null on the last one."),
  },
  { title: "MemberPage", description: "Some of the members." },
);

export const MembersAnswer = either<typeof Explanation | typeof Page>(
  { membership: Explanation, members: Page },
  "With userId or groupId the explanation; without it one page of members, which may have fewer than the limit while `next` is not null.",
);

export const MembersExport = Type.Unsafe<Readable>({
  type: "string",
  description:
    "All members, a line each: userId,anonymousId,since; of an audience of accounts groupId,since.",
});

export function untilOf(untilMs: number | undefined): { until?: string } {
  return untilMs === undefined ? {} : { until: isoTime(untilMs) };
}

/** What a condition comes to for one profile, as the API shows it. */
export function leafView({ untilMs, ...leaf }: LeafExplanation): Static<typeof LeafField> {
  return { ...leaf, ...untilOf(untilMs) };
}
