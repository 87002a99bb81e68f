// What a profile has as a trait.
import { keysAt, valueAt } from "../definition/paths.ts";
import type { Profile } from "./profile.ts";

type Traits = Pick<Profile, "traits">;

/** The trait with which the path begins, and the path within it. One that was removed is not there, known or forgotten. */
export function traitRoot(
  { traits }: Traits,
  path: readonly string[],
): { root: unknown; rest: readonly string[] } {
  for (const [key, end] of keysAt(path)) {
    const root = traits.get(key)?.value ?? undefined;
    if (root !== undefined) return { root, rest: path.slice(end) };
  }
  return { root: undefined, rest: [] };
}

/** The value of a trait; undefined when there is none. */
export function traitAt(profile: Traits, path: readonly string[]): unknown {
  const { rest, root } = traitRoot(profile, path);
  return valueAt(root, rest);
}
