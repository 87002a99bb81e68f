// How many there must be: of calls, or of an account's members.
import { Choice, NumberInput } from "../fields.tsx";
import { isNode } from "./node.ts";
import { COUNT_OPS, type Node, OPERATORS } from "./tables.ts";

const COUNT_CHOICES = COUNT_OPS.map((op) => [op, OPERATORS[op]?.title ?? op] as const);

interface CountProps {
  readonly node: Node;
  readonly change: (node: Node) => void;
  /** What is counted. */
  readonly unit: string;
}

/** The `count` of a node; at least one where it has none. */
export function CountFields({ change, node, unit }: CountProps) {
  const count = isNode(node["count"]) ? node["count"] : { op: "gte", value: 1 };
  const set = (changed: Node): void => change({ ...node, count: { ...count, ...changed } });
  return (
    <>
      <Choice
        label="their number"
        value={String(count["op"])}
        choices={COUNT_CHOICES}
        change={(op) => set({ op })}
      />
      <NumberInput label={unit} value={count["value"]} change={(value) => set({ value })} />
    </>
  );
}
