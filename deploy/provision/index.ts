export { type Provisioned, type ProvisionOptions, provision, report } from "./provision.ts";
export { runProvision } from "./run.ts";
