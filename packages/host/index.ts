export { type Host, systemHost, type Timer } from "./host.ts";
