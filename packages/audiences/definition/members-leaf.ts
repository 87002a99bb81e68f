// { members, count }: how many members of an account meet conditions on their own calls.
import type { JsonObject } from "#contract";
import type { EventLeaf, Leaf, MemberExpression, Subject } from "./definition.ts";
import {
  AT_LEAST_ONCE,
  FIELDS,
  keyed,
  NAME_FIELDS,
  type NameField,
  readCount,
  readName,
} from "./event-leaf.ts";
import { GROUPS, isGroup, kindOf, type NodePlace, readGroup } from "./groups.ts";
import { compositeOf, readLastingCalls } from "./history-leaf.ts";
import { MAX_READ_LEAVES } from "./limits.ts";
import { isMetByMember, isMetByZero } from "./polarity.ts";
import type { Problems } from "./problems.ts";
import type { Reference } from "./references.ts";
import { LIFETIME } from "./windows.ts";

const KINDS = [...GROUPS, ...NAME_FIELDS, "audience"] as const;
const ASIDE = ": what else is known of a user stands in the definition of an audience, which is named here";

/** What is gathered while a definition is read. */
interface Gathered {
  readonly problems: Problems;
  readonly of: Subject;
  readonly references: Reference[];
  leafCount: number;
}

const EVER = { ...LIFETIME, afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };
const ONCE = { ...AT_LEAST_ONCE, kind: "members" } as const;

class MemberReader {
  readonly parts: EventLeaf[] = [];
  readonly #gathered: Gathered;

  constructor(gathered: Gathered) {
    this.#gathered = gathered;
  }

  readonly read = (input: unknown, place: NodePlace): MemberExpression | undefined => {
    const { problems } = this.#gathered;
    if (problems.isFull || this.#gathered.leafCount > MAX_READ_LEAVES) return undefined;
    const object = problems.object(input, place.path);
    const kind = object && kindOf(object, place.path, problems, { kinds: KINDS, aside: ASIDE });
    if (object === undefined || kind === undefined) return undefined;
    if (isGroup(kind)) return readGroup(kind, object, place, { problems, read: this.read });
    this.#gathered.leafCount += 1;
    return kind === "audience"
      ? this.#readAudience(object, place.path)
      : this.#readCalls(kind, object, place.path);
  };

  #readCalls(nameField: NameField, object: JsonObject, path: string): MemberExpression | undefined {
    const { problems } = this.#gathered;
    problems.refuseUnknown(object, [nameField, ...FIELDS, "count"], path);
    const calls = readLastingCalls(object, { path, nameField }, problems);
    const count = readCount(object["count"], `${path}.count`, problems);
    if (count === undefined) return undefined;
    return this.#part(keyed({ ...calls, measure: { ...count, kind: "members" } } as const));
  }

  /** Of users: what else could be asked of a member is in the definition of that one. */
  #readAudience(object: JsonObject, path: string): MemberExpression | undefined {
    const { problems, references } = this.#gathered;
    problems.refuseUnknown(object, ["audience"], path);
    const name = readName(object["audience"], `${path}.audience`, problems);
    if (name === undefined) return undefined;
    references.push({ path: `${path}.audience`, key: name, isTrait: false, of: "users" });
    return this.#part(keyed({ kind: "event", type: "member", name, where: [], window: EVER, measure: ONCE }));
  }

  #part(leaf: EventLeaf): MemberExpression {
    const known = this.parts.findIndex(({ key }) => key === leaf.key);
    if (known === -1) this.parts.push(leaf);
    return { kind: "part", part: known === -1 ? this.parts.length - 1 : known };
  }
}

/** A leaf of an audience of accounts. */
export function readMembersLeaf(object: JsonObject, place: NodePlace, gathered: Gathered): Leaf | undefined {
  const { problems } = gathered;
  problems.refuseUnknown(object, ["members", "count"], place.path);
  const path = `${place.path}.members`;
  if (gathered.of !== "accounts")
    return problems.add(
      path,
      'is known of accounts alone: write "of": "accounts" at the root of the definition',
    );
  const before = problems.list.length;
  const count = readCount(object["count"], `${place.path}.count`, problems);
  const reader = new MemberReader(gathered);
  const of = reader.read(object["members"], { path, depth: place.depth + 1 });
  if (count === undefined || of === undefined || problems.list.length > before) return undefined;
  const { parts } = reader;
  const isMetByNothing = isMetByMember(
    of,
    (place) => parts[place] !== undefined && isMetByZero(parts[place]),
  );
  if (isMetByNothing)
    return problems.add(
      path,
      'is met by members who have done nothing, whom an account does not know: add a call that they must have made, or ask for "count": {"op": "eq", "value": 0} of those who have',
    );
  return compositeOf({ kind: "members", of, count }, ...parts);
}
