import type { Readable } from "node:stream";
import { Type } from "typebox";
import { either, kindField } from "../../http/either.ts";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { PageQuery } from "../../http/pages.ts";
import { ASKED_FIELDS } from "./member-schemas.ts";

export const ValuesQuery = Type.Object({ ...PageQuery.properties, ...ASKED_FIELDS });

const Value = Type.Unsafe<unknown>({ description: "As it was sent last; null where none was." });

const OfOne = {
  userId: nullableString("Null of a trait of accounts."),
  groupId: nullableString("Null of a trait of users."),
};

const OfUser = Type.Object(
  { kind: kindField("value"), ...OfOne, value: Value, since: Type.Optional(TimeField) },
  { title: "UserValue", description: "The value of one user or account." },
);

const Page = Type.Object(
  {
    kind: kindField("values"),
    data: Type.Array(Type.Object({ ...OfOne, value: Value, since: TimeField })),
    next: nullableString("Give it as `after` for the next page; null on the last one."),
  },
  { title: "ValuePage", description: "Some of the values." },
);

export const ValuesAnswer = either<typeof OfUser | typeof Page>(
  { value: OfUser, values: Page },
  "With userId or groupId the value of that one; without it one page of values, which may have fewer than the limit while `next` is not null.",
);

export const ValuesExport = Type.Unsafe<Readable>({
  type: "string",
  description:
    "All values, a line each: userId,value,since; of a trait of accounts groupId,value,since. Texts as they are, all else as JSON.",
});
