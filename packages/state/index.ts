export type { DedupeWindow, DedupeWindowOptions, Noted } from "./dedupe-window.ts";
export { LOCAL_DISK, type WindowDisk } from "./disk.ts";
export { PartitionWindow } from "./partition-window.ts";
export type { WindowFiles, WindowTable } from "./window-files.ts";
