import { type TSchema, type TUnsafe, Type } from "typebox";

/** One type for the value and null: of a union of two schemas ajv reports both branches. */
export function nullable<T>(schema: TSchema & { readonly type: string }): TUnsafe<T | null> {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, "null"] });
}

export const nullableString = (description?: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], ...(description !== undefined && { description }) });

export const nullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

export const nullableInteger = (description?: string) =>
  Type.Unsafe<number | null>({
    type: ["integer", "null"],
    ...(description !== undefined && { description }),
  });
