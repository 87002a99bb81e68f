export { type JudgedDifference, judge } from "./judge.ts";
export { report } from "./provision.ts";
export { runProvision } from "./run.ts";
