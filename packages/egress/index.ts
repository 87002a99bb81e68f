export { InvalidCidrError } from "./addresses.ts";
export type { Egress, EgressOptions, PostOptions } from "./egress.ts";
export { createEgress } from "./egress.ts";
export type { Resolve, ResolvedAddress } from "./resolver.ts";
