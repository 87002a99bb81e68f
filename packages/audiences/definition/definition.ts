// What a definition says, once it has been read: the compiled form of docs/use/audiences.md.
import type { NamedCallType, Problem } from "#contract";

/** Whom a definition is about. */
export type Subject = "users" | "accounts";

export type Scalar = string | number | boolean;

/** What is asked of one value. Dates are Unix ms, durations ms. */
export type Test =
  | { readonly op: "eq" | "neq" | "contains" | "not_contains"; readonly value: Scalar }
  | { readonly op: "lt" | "lte" | "gt" | "gte"; readonly value: number | string }
  | { readonly op: "in"; readonly value: readonly Scalar[] }
  | { readonly op: "starts_with" | "ends_with"; readonly value: string }
  | { readonly op: "exists" | "not_exists" }
  | { readonly op: "before" | "after"; readonly dateMs: number }
  | { readonly op: "within_last" | "within_next"; readonly durationMs: number }
  /** Against what the trait is when it is judged. Resolved by `resolve` before anything is judged by it. */
  | {
      readonly op: "against_trait";
      readonly of: TraitOp;
      /** From the traits. */
      readonly trait: readonly string[];
      readonly ignoreCase: boolean;
    }
  /** The texts of `of` are in lower case; those that are judged are compared so. */
  | { readonly op: "ignoring_case"; readonly of: TextTest };

/** Operators whose value may be a trait. */
export const TRAIT_OPS = [
  "eq",
  "neq",
  "lt",
  "lte",
  "gt",
  "gte",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "before",
  "after",
] as const;

export type TraitOp = (typeof TRAIT_OPS)[number];
export type TraitTest = Extract<Test, { op: "against_trait" }>;

/** What may be asked of texts whatever their case. */
export type TextTest =
  | { readonly op: "eq" | "neq" | "contains" | "not_contains"; readonly value: Scalar }
  | { readonly op: "in"; readonly value: readonly Scalar[] }
  | { readonly op: "starts_with" | "ends_with"; readonly value: string };

/** A value of a call or a trait, and what is asked of it. */
export interface Condition {
  /** From the call's root, or from the traits; own properties only. */
  readonly path: readonly string[];
  readonly test: Test;
}

/** A value against what a trait is when it is judged. */
export interface ComparedCondition extends Condition {
  readonly test: TraitTest;
}

/**
 * When an occurrence counts: from `enterMs` after it, until `leaveMs` after it, if it lies at or after `afterMs` and before `beforeMs`.
 * A lifetime has `leaveMs` Infinity; without `after` and `before` these are -Infinity and Infinity.
 */
export interface Window {
  readonly enterMs: number;
  readonly leaveMs: number;
  readonly afterMs: number;
  readonly beforeMs: number;
}

export const REDUCE_FNS = [
  "count",
  "sum",
  "avg",
  "min",
  "max",
  "most_frequent",
  "first",
  "last",
  "unique",
  "unique_count",
] as const;

export type ReduceFn = (typeof REDUCE_FNS)[number];

/** How often something must have happened: `gt 1` is read as `gte 2`, `lt 2` as `lte 1`. */
export interface CountMeasure {
  readonly kind: "count";
  readonly op: "gte" | "lte" | "eq";
  readonly value: number;
}

/** What a computed trait makes of the occurrences; `path` is empty for count. */
export interface ReduceMeasure {
  readonly kind: "reduce";
  readonly fn: ReduceFn;
  readonly path: readonly string[];
}

/** When calls began again: those with less than `breakMs` between them are one run. */
interface RunsMeasure {
  readonly kind: "runs";
  readonly breakMs: number;
}

/** How often one member must have done it: the calls of each are counted by themselves. */
export interface MembersMeasure extends Omit<CountMeasure, "kind"> {
  readonly kind: "members";
}

/** Calls of one name. `key` is the hash of all the rest, so that equal leaves share their state. */
export interface EventLeaf {
  readonly kind: "event";
  readonly key: string;
  /** Member: not calls, but what accounts learn about users who are in the audience with this name as its key. */
  readonly type: NamedCallType | "member";
  readonly name: string;
  readonly where: readonly Condition[];
  readonly window: Window;
  readonly measure: CountMeasure | MembersMeasure | ReduceMeasure | RunsMeasure;
  /** Whose calls; left out of users, whose leaves keep the keys that they had before there were accounts. */
  readonly of?: Subject;
  /** Of type member: by whom it is asked. Each definition learns anew what is so: what another has learned may be of before a gap. */
  readonly askedBy?: string | undefined;
}

/** What one member must meet; `part` is a place in the composite leaf's parts. */
export type MemberExpression =
  | { readonly kind: "all" | "any"; readonly of: readonly MemberExpression[] }
  | { readonly kind: "not"; readonly of: MemberExpression }
  | { readonly kind: "part"; readonly part: number };

/** What is asked of what event leaves come to, where it is not how often. */
export type Ask =
  /** Of the value that the one leaf's calls are reduced to. */
  | { readonly kind: "value"; readonly test: Test }
  /** Whether the first call of a lifetime is in the window. */
  | { readonly kind: "first"; readonly window: Window }
  /** Whether the last call lies at least so long back. */
  | { readonly kind: "stopped"; readonly breakMs: number }
  /** Whether a call in the leaf's window follows a break. */
  | { readonly kind: "after_break" }
  /** Whether a call of the first part in its window is followed by one of the second in less than `withinMs`; or, once that is over, is not. */
  | { readonly kind: "followed" | "not_followed"; readonly withinMs: number }
  /** Whether so many members meet the expression. */
  | { readonly kind: "members"; readonly of: MemberExpression; readonly count: CountMeasure };

/** A condition on what its parts come to together. The parts are leaves like others, whose state they share. */
interface CompositeLeaf {
  readonly kind: "composite";
  readonly key: string;
  readonly parts: readonly EventLeaf[];
  readonly ask: Ask;
}

/** A trait that identify calls have set. */
interface TraitLeaf {
  readonly kind: "trait";
  readonly key: string;
  readonly condition: Condition;
}

/** The value of a computed trait. */
interface ComputedLeaf {
  readonly kind: "computed";
  readonly key: string;
  readonly traitKey: string;
  readonly test: Test;
}

/** Membership in another audience. */
interface AudienceLeaf {
  readonly kind: "audience";
  readonly key: string;
  readonly audienceKey: string;
}

export type Leaf = EventLeaf | CompositeLeaf | ComputedLeaf | TraitLeaf | AudienceLeaf;

export type Expression =
  | { readonly kind: "all" | "any"; readonly of: readonly Expression[] }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "leaf"; readonly leafKey: string; readonly path: string };

export interface AudienceDefinition {
  readonly kind: "audience";
  readonly of: Subject;
  readonly expression: Expression;
  /** By key; each leaf once, however often the expression names it. */
  readonly leaves: ReadonlyMap<string, Leaf>;
  /** Keys of the audiences and computed traits that it names. */
  readonly references: readonly string[];
}

export interface ComputedTraitDefinition {
  readonly kind: "trait";
  readonly of: Subject;
  readonly leaf: EventLeaf & { readonly measure: ReduceMeasure };
}

/** The definition, or every field that is wrong. */
export type Reading<D> =
  | { readonly ok: true; readonly definition: D }
  | { readonly ok: false; readonly problems: readonly Problem[] };
