// Which leaves one computation asks for.
import type { Computation, Node } from "./computation.ts";

/** Keys of its leaves on events, and of those of the audiences that it names. */
export function leafKeysOf({ plan, root }: Pick<Computation, "plan" | "root">): Set<string> {
  const keys = new Set<string>();
  if (plan !== undefined) keys.add(plan.leaf.key);
  if (root !== undefined) gather(root, keys);
  return keys;
}

function gather(node: Node, keys: Set<string>): void {
  if (node.kind === "not") gather(node.of, keys);
  else if ("of" in node) for (const one of node.of) gather(one, keys);
  else if (node.kind === "event") keys.add(node.plan.leaf.key);
  else if (node.kind === "audience" && node.audience?.root !== undefined) gather(node.audience.root, keys);
}
