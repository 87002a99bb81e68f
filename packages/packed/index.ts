export { PackedMap } from "./packed-map.ts";
export { RecentMap } from "./recent-map.ts";
