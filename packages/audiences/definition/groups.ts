// all, any and not: the same of whole definitions, of what one member must meet and of filters on calls.
import type { JsonObject } from "#contract";
import { MAX_DEPTH } from "./limits.ts";
import type { Problems } from "./problems.ts";

export const GROUPS = ["all", "any", "not"] as const;
export type GroupKind = (typeof GROUPS)[number];

export interface NodePlace {
  readonly path: string;
  /** Groups around it. */
  readonly depth: number;
}

type Group<N> =
  | { readonly kind: "all" | "any"; readonly of: readonly N[] }
  | { readonly kind: "not"; readonly of: N };

export function isGroup(kind: string): kind is GroupKind {
  return GROUPS.some((one) => one === kind);
}

/** Which one of the kinds it has; undefined when none or several, after that was noted. `aside` says what else there is. */
export function kindOf<K extends string>(
  object: JsonObject,
  path: string,
  problems: Problems,
  { kinds, aside = "" }: { readonly kinds: readonly K[]; readonly aside?: string },
): K | undefined {
  const [kind, second] = kinds.filter((one) => Object.hasOwn(object, one));
  if (kind === undefined) return problems.add(path, `must have one of ${kinds.join(", ")}${aside}`);
  if (second === undefined) return kind;
  return problems.add(`${path}.${second}`, `cannot stand beside ${kind}; put both into an all or any`);
}

/** The group with what `read` makes of its conditions, without those that are wrong; undefined when it is wrong itself, after that was noted. */
export function readGroup<N>(
  kind: GroupKind,
  object: JsonObject,
  place: NodePlace,
  { problems, read }: { readonly problems: Problems; read(input: unknown, place: NodePlace): N | undefined },
): Group<N> | undefined {
  const path = `${place.path}.${kind}`;
  const depth = place.depth + 1;
  problems.refuseUnknown(object, [kind], place.path);
  if (depth > MAX_DEPTH) return problems.add(path, `nests deeper than ${MAX_DEPTH} groups`);
  const input = object[kind];
  if (kind === "not") {
    const of = read(input, { path, depth });
    return of === undefined ? undefined : { kind, of };
  }
  if (!Array.isArray(input) || input.length === 0)
    return problems.add(path, "must be a list of at least one condition");
  const of = input.flatMap((one, index) => read(one, { path: `${path}[${index}]`, depth }) ?? []);
  return { kind, of };
}
