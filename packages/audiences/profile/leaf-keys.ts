// Which leaves computations ask for.
import type { Computation, Node } from "./computation.ts";

/** Keys of their leaves on events, and of those of the audiences that they name; each audience is looked into once. */
export function leafKeysOf(computations: Iterable<Computation>): Set<string> {
  const keys = new Set<string>();
  const seen = new Set<Computation>(computations);
  for (const { plan, root } of [...seen]) {
    if (plan !== undefined) keys.add(plan.leaf.key);
    if (root !== undefined) gather(root, keys, seen);
  }
  return keys;
}

function gather(node: Node, keys: Set<string>, seen: Set<Computation>): void {
  if (node.kind === "not") gather(node.of, keys, seen);
  else if ("of" in node) for (const one of node.of) gather(one, keys, seen);
  else if (node.kind === "event") keys.add(node.plan.leaf.key);
  else if (node.kind === "composite") for (const { leaf } of node.plans) keys.add(leaf.key);
  else if (node.kind === "computed") {
    if (node.trait?.plan !== undefined) keys.add(node.trait.plan.leaf.key);
  } else if (node.kind === "audience" && node.audience?.root !== undefined && !seen.has(node.audience)) {
    seen.add(node.audience);
    gather(node.audience.root, keys, seen);
  }
}
