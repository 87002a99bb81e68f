import { Type } from "typebox";
import { IdField, NameField, TimeField } from "../../http/fields.ts";
import { LabelsField, LabelsPatchField } from "../../http/labels.ts";
import { LIST_FIELDS } from "../../http/lists.ts";
import { nullableString } from "../../http/nullable.ts";

export const SourcesQuery = Type.Object(LIST_FIELDS);

const FormerKeyView = Type.Object(
  {
    writeKey: Type.String({ description: "As in writeKeys." }),
    lastCallAt: nullableString(
      "When a call came with it last and was accepted, to within ten seconds, since it is no longer the newest one; null where none has come.",
    ),
    userAgent: nullableString("Of the program that sent that call."),
    network: nullableString("Where that call came from, as in 203.0.113.0/24."),
  },
  { title: "FormerKey", description: "A write key that a newer one replaces." },
);

export const SourceView = Type.Object(
  {
    id: IdField,
    name: NameField,
    enabled: Type.Boolean({ description: "Calls of a source that is not enabled are refused." }),
    labels: LabelsField,
    writeKeys: Type.Array(Type.String(), {
      description:
        "Keys that authorise calls of this source, oldest first. A token without the scope write is shown the first four characters of each, and ******** after them.",
    }),
    formerKeys: Type.Array(FormerKeyView, {
      description: "The write keys but for the newest one, oldest first, with their last calls.",
    }),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  {
    title: "Source",
    description: "The source.",
    examples: [
      {
        id: "src_5f1c0a9be2d47731",
        name: "Shop",
        enabled: true,
        labels: { team: "growth" },
        writeKeys: ["0123456789abcdef0123456789abcdef"],
        formerKeys: [],
        createdAt: "2026-11-02T09:30:00.000Z",
        updatedAt: "2026-11-02T09:30:00.000Z",
      },
    ],
  },
);

export const CreateSourceBody = Type.Object(
  { name: NameField, id: Type.Optional(IdField), labels: Type.Optional(LabelsField) },
  { additionalProperties: false, title: "NewSource", examples: [{ name: "Shop", id: "shop" }] },
);

export const PatchSourceBody = Type.Object(
  {
    name: Type.Optional(NameField),
    enabled: Type.Optional(Type.Boolean()),
    labels: Type.Optional(LabelsPatchField),
  },
  {
    additionalProperties: false,
    title: "SourcePatch",
    description: "A JSON merge patch (RFC 7396): what is not named stays.",
    examples: [{ enabled: false }],
  },
);
