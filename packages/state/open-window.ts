import { mkdirSync, rmSync } from "node:fs";
import type { DedupeWindow, DedupeWindowOptions } from "./dedupe-window.ts";
import { PartitionWindow } from "./partition-window.ts";

/** Opens a partition's window. One process at a time should have it open; two do no harm to the files. */
export function openDedupeWindow(options: DedupeWindowOptions): DedupeWindow {
  mkdirSync(options.directory, { recursive: true });
  try {
    return new PartitionWindow(options);
  } catch (error) {
    options.onDiscarded(error);
    discardDedupeWindow(options.directory);
    mkdirSync(options.directory, { recursive: true });
    return new PartitionWindow(options);
  }
}

/** Removes the files of a window that is not open. */
export function discardDedupeWindow(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
