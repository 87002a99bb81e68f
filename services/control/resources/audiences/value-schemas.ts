import type { Readable } from "node:stream";
import { Type } from "typebox";
import { either, kindField } from "../../http/either.ts";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { PageQuery } from "../../http/pages.ts";

export const ValuesQuery = Type.Object(
  {
    ...PageQuery.properties,
    userId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: "The value of this user alone." }),
    ),
  },
  { additionalProperties: false },
);

const Value = Type.Unsafe<unknown>({ description: "As it was sent last; null where none was." });

const OfUser = Type.Object(
  { kind: kindField("value"), userId: Type.String(), value: Value, since: Type.Optional(TimeField) },
  { title: "UserValue", description: "The value of one user." },
);

const Page = Type.Object(
  {
    kind: kindField("values"),
    data: Type.Array(Type.Object({ userId: Type.String(), value: Value, since: TimeField })),
    next: nullableString("Give it as `after` for the next page; null on the last one."),
  },
  { title: "ValuePage", description: "Some of the values." },
);

export const ValuesAnswer = either<typeof OfUser | typeof Page>(
  { value: OfUser, values: Page },
  "With userId the value of that user; without it one page of values, which may have fewer than the limit while `next` is not null.",
);

export const ValuesExport = Type.Unsafe<Readable>({
  type: "string",
  description: "All values, a line each: userId,value,since. Texts as they are, all else as JSON.",
});
