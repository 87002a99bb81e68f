// Conditions on calls of one name: which calls, and in an audience how often, when, and what they come to.

import type { ReactNode } from "react";
import { CALL_KINDS } from "../../api/tables.generated.ts";
import { Choice, TextInput } from "../fields.tsx";
import { CountFields } from "./count-fields.tsx";
import {
  added,
  childrenOf,
  choiceIn,
  choicesOf,
  isNode,
  replaced,
  withCallKind,
  withMeasure,
  without,
  withTraitFn,
  withWindow,
} from "./node.ts";
import { KINDS, MEASURES, type Node, REDUCE_FNS, TRAIT_FNS, WINDOWS } from "./tables.ts";
import { type EditProps, TestFields } from "./test-fields.tsx";

interface CallProps extends EditProps {
  /** As problems name the node. */
  readonly path: string;
}

const REDUCE_CHOICES = Object.entries(REDUCE_FNS);
const TRAIT_CHOICES = Object.entries(TRAIT_FNS);
export const CALL_CHOICES = CALL_KINDS.map((kind) => [kind, KINDS[kind]?.title ?? kind] as const);
const BLANK_CONDITION: Node = { path: "properties.total", op: "gte", value: 100 };

const callKindOf = (node: Node): string => CALL_KINDS.find((kind) => Object.hasOwn(node, kind)) ?? "event";

const partOf = (node: Node, field: string): Node => {
  const value = node[field];
  return isNode(value) ? value : {};
};

/** All of `where`, each a value of the call. */
function WhereFields({ change, mode, node, path }: CallProps) {
  const conditions = childrenOf(node, "where", path);
  return (
    <>
      {conditions.map((one, at) => (
        <div className="row" key={one.path}>
          <TextInput
            label={at === 0 ? "where" : "and where"}
            value={one.node["path"]}
            change={(given) => change(replaced(node, "where", { at, by: { ...one.node, path: given } }))}
          />
          <TestFields
            node={one.node}
            mode={mode}
            change={(by) => change(replaced(node, "where", { at, by }))}
          />
          <button
            type="button"
            className="small"
            aria-label={`Remove where ${at + 1}`}
            onClick={() => change(replaced(node, "where", { at, by: undefined }))}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button type="button" className="small" onClick={() => change(added(node, "where", BLANK_CONDITION))}>
          Add where
        </button>
      </div>
    </>
  );
}

/** The calls that come, or do not come, after the others. */
function Following({ change, field, mode, node, path }: CallProps & { readonly field: string }) {
  const next = partOf(node, field);
  const kind = callKindOf(next);
  const set = (changed: Node): void => change({ ...node, [field]: changed });
  return (
    <div className="nested">
      <div className="row">
        <Choice
          label="by"
          value={kind}
          choices={CALL_CHOICES}
          change={(one) => set(withCallKind(next, one))}
        />
        <TextInput
          label="others named"
          value={next[kind]}
          change={(name) => set({ ...next, [kind]: name })}
        />
        <TextInput
          label="within, after it"
          value={next["within"]}
          change={(within) => set({ ...next, within })}
        />
      </div>
      <WhereFields node={next} mode={mode} path={`${path}.${field}`} change={set} />
    </div>
  );
}

/** What a choice of `MEASURES` or `WINDOWS` asks for, by its field. */
const PARTS: Readonly<Record<string, (props: CallProps) => ReactNode>> = {
  count: ({ change, node }) => <CountFields node={node} change={change} unit="times" />,
  reduce({ change, mode, node }) {
    const reduce = partOf(node, "reduce");
    const set = (changed: Node): void => change({ ...node, reduce: { ...reduce, ...changed } });
    return (
      <>
        <Choice
          label="what"
          value={String(reduce["fn"])}
          choices={REDUCE_CHOICES}
          change={(fn) => set({ fn })}
        />
        <TextInput label="path" value={reduce["path"]} change={(path) => set({ path })} />
        <TestFields node={node} mode={mode} change={change} />
      </>
    );
  },
  afterBreak: ({ change, node }) => (
    <TextInput
      label="a break of"
      value={node["afterBreak"]}
      change={(afterBreak) => change({ ...node, afterBreak })}
    />
  ),
  stopped: ({ change, node }) => (
    <TextInput label="for" value={node["stopped"]} change={(stopped) => change({ ...node, stopped })} />
  ),
  followedBy: (props) => <Following {...props} field="followedBy" />,
  notFollowedBy: (props) => <Following {...props} field="notFollowedBy" />,
  within: ({ change, node }) => (
    <TextInput label="time" value={node["within"]} change={(within) => change({ ...node, within })} />
  ),
  between({ change, node }) {
    const [from, to] = Array.isArray(node["between"]) ? node["between"] : [];
    return (
      <>
        <TextInput
          label="at least"
          value={from}
          change={(given) => change({ ...node, between: [given, to] })}
        />
        <TextInput
          label="less than"
          value={to}
          change={(given) => change({ ...node, between: [from, given] })}
        />
      </>
    );
  },
};

/** A date that is emptied is left out. */
function DateInput({ change, field, node }: EditProps & { readonly field: "after" | "before" }) {
  return (
    <TextInput
      label={field === "after" ? "at or after (a date, or nothing)" : "before (a date, or nothing)"}
      value={node[field]}
      change={(date) => change({ ...without(node, field), ...(date !== "" && { [field]: date }) })}
    />
  );
}

/** Which calls count by their time. */
function When(props: CallProps & { readonly windows: readonly string[] }) {
  const { change, mode, node, windows } = props;
  const window = choiceIn(WINDOWS, node);
  return (
    <div className="row">
      {windows.length > 0 && (
        <Choice
          label="when"
          value={window}
          choices={choicesOf(WINDOWS, mode).filter(([one]) => windows.includes(one))}
          change={(one) => change(withWindow(node, one))}
        />
      )}
      {PARTS[window]?.(props)}
      <DateInput {...props} field="after" />
      <DateInput {...props} field="before" />
    </div>
  );
}

/** What a computed trait makes of the calls. */
function Value(props: CallProps) {
  const { change, node } = props;
  const reduce = partOf(node, "reduce");
  return (
    <>
      <div className="row">
        <Choice
          label="its value is"
          value={String(reduce["fn"] ?? "")}
          choices={TRAIT_CHOICES}
          change={(fn) => change(withTraitFn(node, fn))}
        />
        {reduce["fn"] !== "count" && (
          <TextInput
            label="path"
            value={reduce["path"]}
            change={(path) => change({ ...node, reduce: { ...reduce, path } })}
          />
        )}
      </div>
      <When {...props} windows={Object.keys(WINDOWS)} />
    </>
  );
}

function History(props: CallProps) {
  const { change, mode, node } = props;
  const measure = choiceIn(MEASURES, node);
  const { windows = [] } = MEASURES[measure] ?? {};
  return (
    <>
      <div className="row">
        <Choice
          label="have come"
          value={measure}
          choices={choicesOf(MEASURES, mode)}
          change={(one) => change(withMeasure(node, one))}
        />
        {PARTS[measure]?.(props)}
      </div>
      <When {...props} windows={windows} />
    </>
  );
}

export function CallFields(props: CallProps) {
  const { change, mode, node } = props;
  const kind = callKindOf(node);
  return (
    <>
      <div className="row">
        <TextInput label="named" value={node[kind]} change={(name) => change({ ...node, [kind]: name })} />
      </div>
      <WhereFields {...props} />
      {mode === "audience" && <History {...props} />}
      {mode === "trait" && <Value {...props} />}
    </>
  );
}
