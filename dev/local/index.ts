export { DeadlineError, until, withDeadline } from "../../cli/until.ts";
export { type Child, type ChildOptions, endChildren, startChild } from "./child.ts";
export { startStack } from "./ladder.ts";
export { withLock } from "./lock.ts";
export { freePorts } from "./ports.ts";
export { makeRunFolder } from "./run-folder.ts";
export type { BrokerControl, DetourLeg, Rung, Stack, StackOptions } from "./stack.ts";
export { StackError } from "./stack-error.ts";
