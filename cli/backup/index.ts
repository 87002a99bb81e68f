export { backUp } from "./backup.ts";
export { type Entry, readBackup } from "./file.ts";
export { unreadableEntries } from "./keys.ts";
export type { Verdict } from "./plan.ts";
export { type RestoredEntry, restore } from "./restore.ts";
export { openRestores } from "./topic-state.ts";
