export { report } from "./provision.ts";
export { runProvision } from "./run.ts";
