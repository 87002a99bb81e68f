// Fields that several resources have.
import { Type } from "typebox";

export const NameField = Type.String({ minLength: 1, maxLength: 200 });

/** No colon: source ids begin the keys of records. */
export const IdField = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  description: "1 to 64 letters, digits, underscores and hyphens.",
});

export const IdParams = Type.Object({ id: Type.String() });

/** Of routes that change one thing. */
export const IfMatch = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      description: "An ETag of the thing: it is changed only while it is at that version, otherwise 412.",
    }),
  ),
});

export const TimeField = Type.String({ format: "date-time" });

/** The answer of a deletion. */
export const NoContent = Type.Null({ description: "Done; the answer has no body." });
