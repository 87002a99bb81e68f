// Which traits an audience or list may send along.
import { TRACK_PROPERTIES } from "#audiences";
import type { JsonObject } from "#contract";
import type { AudienceConfig } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";

interface SendRules {
  readonly ownKey: string;
  /** Everything that has ever been made. */
  readonly configs: readonly AudienceConfig[];
}

/** `given` may have any shape: what its schema refuses is passed over here. */
export function sendProblems({ sendTraits }: JsonObject, { configs, ownKey }: SendRules): FieldProblem[] {
  if (!Array.isArray(sendTraits)) return [];
  const keys = new Set(configs.filter(({ deletedAtMs }) => deletedAtMs === null).map(({ key }) => key));
  return sendTraits.flatMap((name: unknown, index) => {
    const message = problemOf(name, { ownKey, keys });
    return message === undefined ? [] : [{ path: `sendTraits[${index}]`, message }];
  });
}

/** A name is that of a trait as identify calls set it: an audience or computed trait tells of itself. */
function problemOf(
  name: unknown,
  { keys, ownKey }: { readonly ownKey: string; readonly keys: ReadonlySet<string> },
): string | undefined {
  if (typeof name !== "string") return undefined;
  if (TRACK_PROPERTIES.includes(name)) return "is a property of every track call: name another trait";
  if (name === ownKey) return "is the audience's own key, which is sent anyway: leave it out";
  if (keys.has(name))
    return "is the key of an audience or computed trait, which is sent as a call of its own: leave it out";
  return undefined;
}
