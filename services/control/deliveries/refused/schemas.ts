// Refused calls as the API shows them.
import { Type } from "typebox";
import { REFUSAL_CODES } from "#contract";
import { TimeField } from "../../http/fields.ts";
import { nullableInteger, nullableString } from "../../http/nullable.ts";

export const CodeField = Type.Unsafe<string>({
  title: "RefusalCode",
  type: "string",
  enum: [...REFUSAL_CODES],
  description: "As the caller was answered.",
});

const LISTED_FIELDS = {
  id: Type.String(),
  at: TimeField,
  code: CodeField,
  message: Type.String({ description: "As the caller was answered, at most 500 characters." }),
  calls: Type.Integer({ description: "How many calls were refused for this." }),
  index: nullableInteger("Of the first of them in its batch; null of a request as a whole, and of a sum."),
  userIds: Type.Unsafe<string[] | null>({
    anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }],
    description: "The users that the first of them names; null where nobody can tell, as of malformed JSON.",
  }),
};

const EXAMPLE = {
  id: "rfc_2s",
  at: "2026-11-02T09:30:00.120Z",
  code: "event_not_defined",
  message: "track needs event, a string that is not empty",
  calls: 1,
  index: 3,
  userIds: ["u1"],
};

export const RefusedView = Type.Object(LISTED_FIELDS, {
  title: "RefusedCalls",
  description:
    "Calls of one request that were refused for the same reason; or a sum, of ten seconds, of those without an entry of their own.",
  examples: [EXAMPLE],
});

/** Why there is none to show. */
const NO_BODY = ["user_deleted", "not_kept", "no_longer_kept"] as const;
export type NoBody = (typeof NO_BODY)[number];

export const WholeRefusedView = Type.Object(
  {
    ...LISTED_FIELDS,
    bodyText: nullableString(
      "What was sent: of the first of these calls, or of the request. At most 4,096 characters, write keys masked.",
    ),
    isBodyCut: Type.Boolean({ description: "True when there was more of it." }),
    noBody: Type.Unsafe<NoBody | null>({
      anyOf: [{ title: "NoRefusedBody", type: "string", enum: [...NO_BODY] }, { type: "null" }],
      description:
        "Why there is none. user_deleted: a user whom it names, or may name, was deleted since. not_kept: the request was refused before it was read, names a suppressed user, or too many came at once. no_longer_kept: the topic has let go of it.",
    }),
  },
  {
    title: "WholeRefusedCalls",
    description: "Refused calls with the body of the first of them.",
    examples: [
      {
        ...EXAMPLE,
        bodyText: '{"type":"track","userId":"u1","properties":{"total":12.5}}',
        isBodyCut: false,
        noBody: null,
      },
    ],
  },
);
