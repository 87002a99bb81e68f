import { describe, expect, test } from "@jest/globals";
import { createSigningKeys } from "./signing-keys.ts";

function counted() {
  const made: string[] = [];
  const keyOf = createSigningKeys((secret) => {
    made.push(secret);
    return Buffer.from(secret);
  });
  return { made, keyOf };
}

describe("keys of secrets", () => {
  test("are made once", () => {
    const { made, keyOf } = counted();
    expect(keyOf("a")).toBe(keyOf("a"));
    expect(keyOf("b").export()).toEqual(Buffer.from("b"));
    expect(made).toEqual(["a", "b"]);
  });

  test("are kept for 10,000 secrets; one more drops the oldest and no other", () => {
    const { made, keyOf } = counted();
    for (let index = 0; index < 10_000; index += 1) keyOf(`secret-${index}`);
    keyOf("secret-0");
    expect(made).toHaveLength(10_000);
    keyOf("one more");
    keyOf("secret-1");
    expect(made).toHaveLength(10_001);
    keyOf("secret-0");
    expect(made).toHaveLength(10_002);
  });
});
