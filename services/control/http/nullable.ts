import { Type } from "typebox";

export const nullableString = (description?: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], ...(description !== undefined && { description }) });

export const nullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

export const nullableInteger = (description?: string) =>
  Type.Unsafe<number | null>({
    type: ["integer", "null"],
    ...(description !== undefined && { description }),
  });
