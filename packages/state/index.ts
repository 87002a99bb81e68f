export type { DedupeWindow, DedupeWindowOptions, Noted } from "./dedupe-window.ts";
export { LOCAL_DISK, type WindowDisk } from "./open-window.ts";
export { PartitionWindow } from "./partition-window.ts";
export type { EntryFacts, StoreChange, StoreEntry } from "./store/entry.ts";
export { type OpenStore, openStore, type StoreDisk, storesOn } from "./store/open-store.ts";
export {
  type PartitionStore,
  StoreLostError,
} from "./store/partition-store.ts";
export type { StoreOptions, StoreOwner } from "./store/store-options.ts";
export type { WindowFiles, WindowTable } from "./window-files.ts";
