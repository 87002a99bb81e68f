import type { DedupeWindow, DedupeWindowOptions } from "./dedupe-window.ts";
import { discardFiles } from "./guarded-files.ts";
import { openDedupeWindow } from "./open-window.ts";

/** The disk on which windows are kept. */
export interface WindowDisk {
  /** Opens a partition's window. One process at a time should have it open. */
  open(options: DedupeWindowOptions): DedupeWindow;
  /** Removes the files of a window that is not open. */
  discard(directory: string): void;
}

/** The machine's own. */
export const LOCAL_DISK: WindowDisk = {
  open: (options) => openDedupeWindow(options),
  discard: discardFiles,
};
