export type { AddressPolicy } from "./addresses.ts";
export { addressPolicy, InvalidCidrError } from "./addresses.ts";
export type { Egress, EgressOptions, PostOptions } from "./egress.ts";
export { createEgress } from "./egress.ts";
export type { Resolve, ResolvedAddress } from "./resolver.ts";
