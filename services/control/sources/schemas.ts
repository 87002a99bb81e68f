import { Type } from "typebox";
import { IdField, NameField, TimeField } from "../http/fields.ts";

export const SourceView = Type.Object(
  {
    id: IdField,
    name: NameField,
    enabled: Type.Boolean({ description: "Calls of a source that is not enabled are refused." }),
    writeKeys: Type.Array(Type.String(), {
      description: "Keys that authorise calls of this source, oldest first.",
    }),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  { description: "The source." },
);

export const CreateSourceBody = Type.Object(
  { name: NameField, id: Type.Optional(IdField) },
  { additionalProperties: false },
);

export const PatchSourceBody = Type.Object(
  { name: Type.Optional(NameField), enabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, description: "A JSON merge patch (RFC 7396): what is not named stays." },
);
