// Groups and leaves of an audience, read into an expression over leaf keys.
import type { JsonObject } from "#contract";
import { readCallsLeaf } from "./composite-leaf.ts";
import { readPath, readTest, TEST_FIELDS } from "./conditions.ts";
import type { Expression, Leaf, Subject } from "./definition.ts";
import { keyed, NAME_FIELDS, readName } from "./event-leaf.ts";
import { GROUPS, type GroupKind, isGroup, kindOf, type NodePlace, readGroup } from "./groups.ts";
import { MAX_READ_LEAVES } from "./limits.ts";
import { readMembersLeaf } from "./members-leaf.ts";
import type { Problems } from "./problems.ts";
import type { Reference } from "./references.ts";

const KINDS = [...GROUPS, ...NAME_FIELDS, "trait", "computedTrait", "audience", "members"] as const;
type Kind = (typeof KINDS)[number];

/** What is gathered while a definition is read. */
export interface Gathered {
  readonly problems: Problems;
  readonly of: Subject;
  readonly leaves: Map<string, Leaf>;
  readonly references: Reference[];
  /** Places that name a trait. */
  readonly traits: Reference[];
  leafCount: number;
}

function readTraitLeaf(object: JsonObject, path: string, { problems, traits }: Gathered): Leaf | undefined {
  problems.refuseUnknown(object, ["trait", ...TEST_FIELDS], path);
  const parts = readPath(object["trait"], `${path}.trait`, problems);
  if (parts !== undefined) traits.push({ path: `${path}.trait`, key: parts[0] ?? "", isTrait: true });
  const test = readTest(object, path, problems);
  if (parts === undefined || test === undefined) return undefined;
  return keyed({ kind: "trait", condition: { path: parts, test } } as const);
}

function readComputedLeaf(object: JsonObject, path: string, gathered: Gathered): Leaf | undefined {
  const { problems, references } = gathered;
  problems.refuseUnknown(object, ["computedTrait", ...TEST_FIELDS], path);
  const traitKey = readName(object["computedTrait"], `${path}.computedTrait`, problems);
  const test = readTest(object, path, problems);
  if (traitKey === undefined || test === undefined) return undefined;
  references.push({ path: `${path}.computedTrait`, key: traitKey, isTrait: true });
  return keyed({ kind: "computed", traitKey, test } as const);
}

function readAudienceLeaf(object: JsonObject, path: string, gathered: Gathered): Leaf | undefined {
  gathered.problems.refuseUnknown(object, ["audience"], path);
  const audienceKey = readName(object["audience"], `${path}.audience`, gathered.problems);
  if (audienceKey === undefined) return undefined;
  gathered.references.push({ path: `${path}.audience`, key: audienceKey, isTrait: false });
  return keyed({ kind: "audience", audienceKey } as const);
}

function readLeaf(kind: Exclude<Kind, GroupKind>, object: JsonObject, place: NodePlace, gathered: Gathered) {
  const { path } = place;
  if (kind === "members") return readMembersLeaf(object, place, gathered);
  gathered.leafCount += 1;
  if (kind === "trait") return readTraitLeaf(object, path, gathered);
  if (kind === "computedTrait") return readComputedLeaf(object, path, gathered);
  if (kind === "audience") return readAudienceLeaf(object, path, gathered);
  return readCallsLeaf(object, { path, nameField: kind }, gathered.problems);
}

/** One group or leaf; undefined when it is wrong, after that was noted. */
export function readNode(input: unknown, place: NodePlace, gathered: Gathered): Expression | undefined {
  const { problems, leaves } = gathered;
  if (problems.isFull || gathered.leafCount > MAX_READ_LEAVES) return undefined;
  const object = problems.object(input, place.path);
  const kind = object && kindOf(object, place.path, problems, { kinds: KINDS });
  if (object === undefined || kind === undefined) return undefined;
  if (isGroup(kind))
    return readGroup(kind, object, place, { problems, read: (one, at) => readNode(one, at, gathered) });
  const leaf = readLeaf(kind, object, place, gathered);
  if (leaf === undefined) return undefined;
  leaves.set(leaf.key, leaf);
  return { kind: "leaf", leafKey: leaf.key, path: place.path };
}
