// A filter or a definition as a form: groups in each other, and their conditions. What it makes is the JSON that the API takes.

import type { FieldError } from "../../api/problem.ts";
import { CALL_KINDS } from "../../api/tables.generated.ts";
import { Choice, Switch, TextInput } from "../fields.tsx";
import { Text } from "../text.tsx";
import { CALL_CHOICES, CallFields } from "./call-fields.tsx";
import { CountFields } from "./count-fields.tsx";
import {
  added,
  asKind,
  type Child,
  childrenOf,
  choicesOf,
  isGroup,
  isNode,
  kindOf,
  replaced,
  withCallKind,
  without,
} from "./node.ts";
import { KINDS, type Mode, type Node } from "./tables.ts";
import { type EditProps, TestFields } from "./test-fields.tsx";

interface NodeProps extends EditProps {
  /** As problems and explanations name it: `filter.all[0]`. */
  readonly path: string;
  readonly problems: readonly FieldError[];
  /** Undefined for what cannot be left out. */
  readonly remove?: (() => void) | undefined;
}

const isAt = (path: string, { path: named }: FieldError): boolean =>
  named === path || named.startsWith(`${path}.`) || named.startsWith(`${path}[`);

/** Of a condition with one other in it. */
const isWrapper = (kind: string): kind is "not" | "members" => kind === "not" || kind === "members";

function membersOf(node: Node, path: string): readonly Child[] {
  const kind = kindOf(node);
  if (isGroup(kind)) return childrenOf(node, kind, path);
  const inner = node[kind];
  return isWrapper(kind) && isNode(inner) ? [{ path: `${path}.${kind}`, node: inner }] : [];
}

/** Those that no member has. */
function OwnProblems({ node, path, problems }: Pick<NodeProps, "node" | "path" | "problems">) {
  const members = membersOf(node, path);
  const own = problems.filter((one) => isAt(path, one) && !members.some((member) => isAt(member.path, one)));
  return own.map(({ message, path: named }) => (
    <p className="bad" key={`${named} ${message}`}>
      <code>{named}</code> <Text most={500}>{message}</Text>
    </p>
  ));
}

const blankOf = (mode: Mode): Node => KINDS[mode === "filter" ? "path" : "event"]?.blank ?? {};

function Group(props: NodeProps & { readonly kind: "all" | "any" }) {
  const { change, kind, mode, node, path } = props;
  const add = (one: Node): void => change(added(node, kind, one));
  return (
    <>
      {membersOf(node, path).map((member, at) => (
        <NodeFields
          {...props}
          key={member.path}
          path={member.path}
          node={member.node}
          change={(by) => change(replaced(node, kind, { at, by }))}
          remove={() => change(replaced(node, kind, { at, by: undefined }))}
        />
      ))}
      <div className="row">
        <button type="button" className="small" onClick={() => add(blankOf(mode))}>
          Add a condition
        </button>
        <button
          type="button"
          className="small"
          onClick={() => add({ [kind === "all" ? "any" : "all"]: [blankOf(mode)] })}
        >
          Add a group
        </button>
      </div>
    </>
  );
}

function Wrapper(props: NodeProps & { readonly kind: "not" | "members" }) {
  const { change, kind, node, path } = props;
  const inner = node[kind];
  return (
    <>
      {kind === "members" && (
        <div className="row">
          <CountFields node={node} change={change} unit="members who meet this" />
        </div>
      )}
      <NodeFields
        {...props}
        remove={undefined}
        path={`${path}.${kind}`}
        node={isNode(inner) ? inner : {}}
        change={(by) => change({ ...node, [kind]: by })}
      />
    </>
  );
}

function Fields(props: NodeProps) {
  const { change, node } = props;
  const kind = kindOf(node);
  const named = (label: string, field: string) => (
    <TextInput label={label} value={node[field]} change={(text) => change({ ...node, [field]: text })} />
  );
  if (isGroup(kind)) return <Group {...props} kind={kind} />;
  if (isWrapper(kind)) return <Wrapper {...props} kind={kind} />;
  if (CALL_KINDS.some((one) => one === kind)) return <CallFields {...props} />;
  if (kind === "audience") return <div className="row">{named("Key of the audience", kind)}</div>;
  if (kind === "") return null;
  return (
    <div className="row">
      {named(kind === "computedTrait" ? "Key of the trait" : "Path", kind)}
      <TestFields {...props} />
    </div>
  );
}

function NodeFields(props: NodeProps) {
  const { change, mode, node, path, remove } = props;
  return (
    <fieldset className="nested">
      <legend>
        <code>{path}</code>
      </legend>
      <div className="row">
        <Choice
          label={mode === "trait" ? "Made of" : "Condition"}
          value={kindOf(node)}
          choices={mode === "trait" ? CALL_CHOICES : choicesOf(KINDS, mode)}
          change={(kind) => change(mode === "trait" ? withCallKind(node, kind) : asKind(node, kind))}
        />
        {remove !== undefined && (
          <button type="button" className="small" aria-label={`Remove ${path}`} onClick={remove}>
            Remove
          </button>
        )}
      </div>
      <Fields {...props} />
      <OwnProblems {...props} />
    </fieldset>
  );
}

interface BuilderProps extends EditProps {
  /** The field of the API that it is: `filter`, `definition`. */
  readonly name: string;
  readonly problems: readonly FieldError[];
}

const OF_CHOICES = [
  ["users", "users"],
  ["accounts", "accounts"],
] as const;

export function Builder({ name, ...props }: BuilderProps) {
  const { change, mode, node } = props;
  return (
    <>
      {mode !== "filter" && (
        <Choice
          label="Of"
          value={node["of"] === "accounts" ? "accounts" : "users"}
          choices={OF_CHOICES}
          change={(of) => change({ ...(of === "accounts" && { of }), ...without(node, "of") })}
        />
      )}
      <NodeFields {...props} path={name} />
      {mode === "audience" && (
        <Switch
          label="of everyone, also where it only excludes"
          isOn={node["everyone"] === true}
          change={(isOn) => change({ ...without(node, "everyone"), ...(isOn && { everyone: true }) })}
        />
      )}
    </>
  );
}
