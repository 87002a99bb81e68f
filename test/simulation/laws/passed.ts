import type { Happening } from "../world/history.ts";

/** What a commit says is done, from an offset on: what lies below it, and in the stretches beyond it. */
export function* passedBy(
  { ahead, offset: end }: Pick<Extract<Happening, { kind: "committed" }>, "offset" | "ahead">,
  fromOffset: number,
): Generator<number> {
  for (let offset = fromOffset; offset < end; offset += 1) yield offset;
  for (const { from, to } of ahead) for (let offset = from; offset < to; offset += 1) yield offset;
}
