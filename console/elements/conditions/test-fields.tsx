// What is asked of one value: the operator, and what it is compared with.
import { Choice, ListInput, NumberInput, Switch, TextInput } from "../fields.tsx";
import { blankValue, choicesOf, isNode, valueTypeOf, withOperator, without } from "./node.ts";
import { type Mode, type Node, OPERATORS, TRAIT_TYPE, VALUE_TYPES } from "./tables.ts";

export interface EditProps {
  readonly node: Node;
  readonly mode: Mode;
  readonly change: (node: Node) => void;
}

const YES_OR_NO = [
  ["true", "yes"],
  ["false", "no"],
] as const;

interface ValueProps {
  readonly type: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

function Value({ change, type, value }: ValueProps) {
  switch (type) {
    case TRAIT_TYPE:
      return (
        <TextInput
          label="Their trait"
          value={isNode(value) ? value["trait"] : ""}
          change={(trait) => change({ trait })}
        />
      );
    case "number":
      return <NumberInput label="Value" value={value} change={change} />;
    case "yes or no":
      return (
        <Choice
          label="Value"
          value={String(value)}
          choices={YES_OR_NO}
          change={(one) => change(one === "true")}
        />
      );
    case "texts":
    case "numbers":
      return <ListInput label="Values" value={value} areNumbers={type === "numbers"} change={change} />;
    default:
      return <TextInput label="Value" value={value} change={change} />;
  }
}

/** `op`, `value` and `ignoreCase` of the node. */
export function TestFields({ change, mode, node }: EditProps) {
  const op = String(node["op"] ?? "");
  const { canBeTrait, canIgnoreCase, value: kind = "none" } = OPERATORS[op] ?? {};
  const canTrait = canBeTrait === true && mode !== "filter";
  const types = [...Object.keys(VALUE_TYPES[kind]), ...(canTrait ? [TRAIT_TYPE] : [])];
  const type = valueTypeOf(node);
  const setValue = (value: unknown): void => change({ ...node, value });
  return (
    <>
      <Choice
        label="Operator"
        value={op}
        choices={choicesOf(OPERATORS, mode)}
        change={(one) => change(withOperator(node, one))}
      />
      {types.length > 1 && (
        <Choice
          label="As"
          value={type}
          choices={types.map((one) => [one, one] as const)}
          change={(one) => setValue(blankValue(op, one))}
        />
      )}
      {kind !== "none" && <Value type={type} value={node["value"]} change={setValue} />}
      {canIgnoreCase === true && (
        <Switch
          label="whatever the case"
          isOn={node["ignoreCase"] === true}
          change={(isOn) => change({ ...without(node, "ignoreCase"), ...(isOn && { ignoreCase: true }) })}
        />
      )}
    </>
  );
}
