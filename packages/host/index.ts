export { EventLoopTurns, WorkInTurns } from "./event-loop-turns.ts";
export { type Host, orAborted, systemHost, type Timer } from "./host.ts";
