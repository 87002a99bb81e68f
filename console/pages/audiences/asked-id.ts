// By which id members and values of a definition are asked for.

export type AskedId = "userId" | "groupId";

/** A definition is of accounts where it says so; a list has none. */
export function askedIdOf(definition: unknown): AskedId {
  const isObject = typeof definition === "object" && definition !== null;
  return isObject && "of" in definition && definition.of === "accounts" ? "groupId" : "userId";
}
