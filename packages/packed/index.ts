export { NumberGroups } from "./number-groups.ts";
export { NumberIndex } from "./number-index.ts";
export { NumberedMap } from "./numbered-map.ts";
export { PackedMap } from "./packed-map.ts";
export { RecentMap } from "./recent-map.ts";
export { SortedNumbers } from "./sorted-numbers.ts";
