export type { DedupeWindow, DedupeWindowOptions, Noted } from "./dedupe-window.ts";
export { discardDedupeWindow, openDedupeWindow } from "./open-window.ts";
