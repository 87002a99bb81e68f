export { runProvision } from "./run.ts";
