import { describe, expect, test } from "@jest/globals";
import type { ErrorObject } from "ajv";
import { Type } from "typebox";
import { createValidatorCompiler, refusedBy } from "./validation.ts";

const Body = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    enabled: Type.Optional(Type.Boolean()),
    state: Type.Optional(Type.Unsafe<string>({ type: "string", enum: ["healthy", "failing"] })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    tags: Type.Optional(Type.Array(Type.String(), { minItems: 2, maxItems: 3, uniqueItems: true })),
    id: Type.Optional(Type.String({ pattern: "^[a-z]+$", description: "Small letters." })),
  },
  { additionalProperties: false },
);

/** By field, what is said of a body. */
function textsOf(body: unknown): Record<string, string> {
  const compile = createValidatorCompiler();
  const validate = compile({ schema: Body, method: "POST", url: "/", httpPart: "body" });
  expect(validate(body)).toBe(false);
  const { errors = [] } = validate as unknown as { errors?: ErrorObject[] | null };
  const problems = refusedBy(errors ?? []).errors;
  return Object.fromEntries(problems.map(({ path, message }) => [path, message]));
}

test("a query parameter that comes again is said to", () => {
  const validate = createValidatorCompiler()({
    schema: Body,
    method: "GET",
    url: "/",
    httpPart: "querystring",
  });
  expect(validate({ count: ["1", "2"], name: ["a", "b"] })).toBe(false);
  const { errors = [] } = validate as unknown as { errors?: ErrorObject[] | null };
  expect(refusedBy(errors ?? [], [], "querystring").errors).toEqual(
    expect.arrayContaining(["count", "name"].map((path) => ({ path, message: "is given more than once" }))),
  );
});

describe("what is said of a refused value", () => {
  test.each<[unknown, Record<string, string>]>([
    [[], { "": "must be an object" }],
    [{ name: "" }, { name: "must not be empty" }],
    [{ name: "Shopping" }, { name: "must have at most 5 characters" }],
    [
      { name: 7, enabled: "yes" },
      { name: "must be a text", enabled: "must be true or false" },
    ],
    [{ count: 0.5 }, { count: "must be a whole number" }],
    [{ count: 0 }, { count: "must be at least 1" }],
    [{ count: 10 }, { count: "must be at most 9" }],
    [{ tags: ["a"] }, { tags: "must have at least 2 entries" }],
    [{ tags: ["a", "b", "a"] }, { tags: "must have no entry twice: [0] and [2] are the same" }],
    [{ tags: ["a", "b", "c", "d"] }, { tags: "must have at most 3 entries" }],
    [{ id: "A" }, { id: "is not of this form: Small letters." }],
  ])("%j", (body, texts) => {
    expect(textsOf(body)).toEqual(texts);
  });

  test("a field and a value that are nearly right are named beside what was meant", () => {
    expect(textsOf({ enabeld: true, state: "Healthy", nothingLikeIt: 1 })).toEqual({
      enabeld: "is not a field that can be set; did you mean enabled?",
      state: "must be one of healthy, failing; did you mean healthy?",
      nothingLikeIt: "is not a field that can be set",
    });
    expect(textsOf({ state: "x".repeat(100_000) })).toEqual({ state: "must be one of healthy, failing" });
  });
});

describe("of a body with more than 5,000 values", () => {
  const compile = () =>
    createValidatorCompiler()({
      schema: Type.Object({ ids: Type.Array(Type.String()) }),
      ...({ method: "POST", url: "/", httpPart: "body" } as const),
    });
  function errorsOf(ids: readonly unknown[]): number {
    const validate = compile();
    expect(validate({ ids })).toBe(false);
    return (validate as unknown as { errors: ErrorObject[] }).errors.length;
  }

  test("the first error is found, of others all", () => {
    const numbers = (length: number) => Array.from({ length }, (_, index) => index);
    expect([errorsOf(numbers(4_000)), errorsOf(numbers(5_000))]).toEqual([4_000, 1]);
  });

  test("nothing is refused that is right", () => {
    expect(compile()({ ids: Array.from({ length: 10_000 }, String) })).toBe(true);
  });
});
