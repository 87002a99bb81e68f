import { isJsonObject } from "#contract";
import type { CallFilter } from "../definition/call-filter.ts";
import { meetsAll } from "./condition.ts";

/** Whether a call passes; `root` is the call as it is delivered. */
export function passesFilter(filter: CallFilter, root: unknown): boolean {
  switch (filter.kind) {
    case "all":
      return filter.of.every((one) => passesFilter(one, root));
    case "any":
      return filter.of.some((one) => passesFilter(one, root));
    case "not":
      return !passesFilter(filter.of, root);
    case "condition":
      return meetsAll([filter.condition], root);
    case "call":
      return nameOf(root, filter.type) === filter.name && meetsAll(filter.where, root);
  }
}

/** undefined of a call of another type. */
export function nameOf(root: unknown, type: string): unknown {
  if (!isJsonObject(root) || root["type"] !== type) return undefined;
  return type === "track" ? root["event"] : root["name"];
}
