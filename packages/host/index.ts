export { EventLoopTurns, WorkInTurns } from "./event-loop-turns.ts";
export { type Host, systemHost, type Timer } from "./host.ts";
export { orAborted } from "./or-aborted.ts";
