// Answers of two forms, told apart by a field, so that programs made from the API's document know which one they have.
import { type Static, type TObject, Type } from "typebox";

/** The field `kind` of one form. */
export function kindField<const Kind extends string>(kind: Kind) {
  return Type.Unsafe<Kind>({ type: "string", enum: [kind], description: "Which of the answers this is." });
}

/** Of two schemas with titles, by the `kind` of each. */
export function either<Form extends TObject>(forms: Readonly<Record<string, Form>>, description: string) {
  const mapping = Object.entries(forms).map(([kind, form]) => [
    kind,
    `#/components/schemas/${"title" in form ? String(form.title) : kind}`,
  ]);
  return Type.Unsafe<Static<Form>>({
    oneOf: Object.values(forms),
    discriminator: { propertyName: "kind", mapping: Object.fromEntries(mapping) },
    description,
  });
}
