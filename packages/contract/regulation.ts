// The effects of a deletion request (contract 5.1, 5.2).
import { uuidV5 } from "./uuid-v5.ts";

export const REGULATION_TYPES = [
  "DELETE_ONLY",
  "SUPPRESS_WITH_DELETE",
  "SUPPRESS_ONLY",
  "UNSUPPRESS",
] as const;
export type RegulationType = (typeof REGULATION_TYPES)[number];

/** User ids of one regulation (contract 5.2). */
export const MAX_SUBJECTS = 5_000;

/** Whether users are deleted, and receivers notified of it. */
export function isDeletion(type: string): boolean {
  return type === "DELETE_ONLY" || type === "SUPPRESS_WITH_DELETE";
}

/** The effect on the users' suppression; undefined: it stays as it is. */
export function suppressionOf(type: string): "begins" | "ends" | undefined {
  if (type === "UNSUPPRESS") return "ends";
  return type === "SUPPRESS_ONLY" || type === "SUPPRESS_WITH_DELETE" ? "begins" : undefined;
}

/** The namespace of delete notifications' ids, so that no other name gives the same ids. */
const NAMESPACE = Buffer.from("b0c34ad87f7d5b7e9a41c86f2f1d6e35", "hex");

export interface Notification {
  readonly regulationId: string;
  readonly sourceId: string;
  readonly userId: string;
}

/** The message id of a delete notification: the same each time that it is written, so that a copy is dropped as a duplicate (contract 1.8). */
export function deletionMessageId({ regulationId, sourceId, userId }: Notification): string {
  return uuidV5(NAMESPACE, JSON.stringify([regulationId, sourceId, userId]));
}
